import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { parseScript } from '#src/dsl/parse.ts';
import { split, whole } from './scripts.ts';

describe('script', () => {
  it('stands for the body of a request', () => {
    expect(parseScript(split)).to.deep.equal({
      chartOfAccountsGroupName: 'FUNDING',
      description: 'Split payment',
      send: {
        asset: 'BRL',
        value: '300.10',
        source: {
          from: [
            { accountAlias: '@alice', amount: { asset: 'BRL', value: '120.04' } },
            { accountAlias: '@bob', remaining: 'remaining' },
          ],
        },
        distribute: {
          to: [
            { accountAlias: '@carol', share: { percentage: 30 } },
            { accountAlias: '@dave', share: { percentage: 70 } },
          ],
        },
      },
    });
  });

  it('may have every clause of the grammar', () => {
    expect(parseScript(whole)).to.deep.equal({
      chartOfAccountsGroupName: '4/21-b',
      description: 'Rent, of (May)\nand June',
      code: 'inv-77',
      pending: true,
      metadata: { invoice: '77', '12': 'a/b' },
      send: {
        asset: 'BRL',
        value: '300',
        source: {
          remaining: 'remaining',
          from: [
            {
              accountAlias: '@alice',
              amount: { asset: 'BRL', value: '120.04' },
              rate: { externalId: '7c1', from: 'BRL', to: 'USD', value: '5.10' },
              description: '',
              chartOfAccounts: 'FUNDS/1',
              metadata: { k: 'v' },
            },
            { accountAlias: '42', remaining: 'remaining' },
          ],
        },
        distribute: {
          remaining: 'remaining',
          to: [
            { accountAlias: 'carol', share: { percentage: 30, percentageOfPercentage: 50 } },
            { accountAlias: '@external/BRL', share: { percentage: 70 } },
          ],
        },
      },
    });
  });

  it('needs no white space where tokens end by themselves, and takes any of four', () => {
    const said = parseScript(split);
    expect(parseScript(split.replaceAll(/\s+(?!payment)/g, '\r\n\t '))).to.deep.equal(said);
    const tight = split.replaceAll(/\s*([()])\s*/g, '$1').replaceAll(' :', ':');
    expect(parseScript(tight)).to.deep.equal(said);
    expect(() => parseScript(split.replace(' ', '\u00a0'))).to.throw(Refusal);
  });

  describe('is refused at its place', () => {
    const cases: [what: string, script: string, says: string, value?: string][] = [
      [
        'empty',
        '',
        'line 1, column 1: the script ends, expected (transaction or (transaction-template',
      ],
      [
        'another word',
        '(deal V1)',
        'line 1, column 2: found "deal", expected transaction or transaction-template',
        'deal',
      ],
      ['another version', '(transaction V2)', 'line 1, column 14: found "V2", expected V1', 'V2'],
      [
        'no group',
        '(transaction V1\n  (send',
        'line 2, column 4: found "send", expected chart-of-accounts-group-name',
        'send',
      ],
      [
        'clauses in another order',
        at('(code x)\n  (description "d")'),
        'line 3, column 4: found "description", expected pending or metadata or send',
        'description',
      ],
      [
        'a clause twice',
        at('(code x)\n(code y)'),
        'line 3, column 2: found "code", expected pending or metadata or send',
        'code',
      ],
      [
        'a text that is not closed',
        at('(description "d'),
        'line 5, column 1: the script ends in a text that is not closed, expected "',
      ],
      [
        'a text without quotes',
        at('(description d)'),
        'line 2, column 14: found "d", expected a text in quotes',
        'd',
      ],
      [
        'a flag that is none',
        at('(pending yes)'),
        'line 2, column 10: found "yes", expected true or false',
        'yes',
      ],
      ['no pair', at('(metadata)'), 'line 2, column 10: found ")", expected (', ')'],
      [
        'a key twice',
        at('(metadata (k 1)(k 2))'),
        'line 2, column 17: the key stands there twice',
        'k',
      ],
      [
        '__proto__',
        at('(metadata (__proto__ 1))'),
        'line 2, column 12: this key cannot be taken',
        '__proto__',
      ],
      [
        'no quantity',
        sent('1', '@a', ':remaining'),
        'line 2, column 29: found ")", expected :amount or :share or :remaining',
        ')',
      ],
      [
        'two quantities',
        sent('1', '@a :remaining :share 1', ''),
        'line 2, column 41: found ":share", expected (rate or (description or (chart-of-accounts or (metadata or )',
        ':share',
      ],
      [
        'an unknown option',
        sent('1', '@a :all', ''),
        'line 2, column 30: found ":all", expected :amount or :share or :remaining',
        ':all',
      ],
      [
        'no source',
        '(transaction V1(chart-of-accounts-group-name G)(send BRL 1(distribute',
        'line 1, column 60: found "distribute", expected source',
        'distribute',
      ],
      [
        'no leg',
        '(transaction V1(chart-of-accounts-group-name G)(send BRL 1(source)',
        'line 1, column 66: found ")", expected (from or :remaining',
        ')',
      ],
      [
        'a leg of the other side',
        sent('1', '@a :remaining)(to @b :remaining', ''),
        'line 2, column 42: found "to", expected from',
        'to',
      ],
      [
        'a scale',
        sent('100|2', '@a :remaining', ':remaining'),
        'line 2, column 15: a scale is not taken: write the decimal out, such as 120.50',
        '2',
      ],
      [
        'a variable as value',
        sent('$total', '@a :remaining', ':remaining'),
        'line 2, column 11: nothing gives the variable a value',
        '$total',
      ],
      [
        'a variable as account',
        sent('1', '$from :remaining', ''),
        'line 2, column 27: nothing gives the variable a value',
        '$from',
      ],
      [
        'a variable as share',
        sent('1', '@a :share $p', ''),
        'line 2, column 37: nothing gives the variable a value',
        '$p',
      ],
      [
        'a negative number',
        sent('-1', '@a :remaining', ''),
        'line 2, column 11: found "-1", expected a whole number or a decimal',
        '-1',
      ],
      [
        'a share with a fraction',
        sent('1', '@a :share 1.5', ''),
        'line 2, column 37: found "1.5", expected a whole number',
        '1.5',
      ],
      [
        'half a decimal',
        sent('1.', '@a', ''),
        'line 2, column 12: found ".", expected (source or |',
        '.',
      ],
      [
        'a comment',
        '; pay\n(transaction V1',
        'line 1, column 1: found ";", expected (transaction or (transaction-template',
        ';',
      ],
      [
        'a letter of no name',
        at('(code é)'),
        'line 2, column 7: found "é", expected a name or a whole number',
        'é',
      ],
      [
        'a character of two units',
        '(transaction 😀',
        'line 1, column 14: found "😀", expected V1',
        '😀',
      ],
      [
        'columns counted in characters',
        at('(description "😀é") 😀'),
        'line 2, column 20: found "😀", expected (code or (pending or (metadata or (send',
        '😀',
      ],
      [
        'something behind it',
        `${split}(`,
        'line 11, column 1: found "(", expected the end of the script',
        '(',
      ],
    ];

    for (const [what, script, says, value] of cases) {
      it(what, () => {
        const { refusal, details } = refused(script);
        expect(refusal).to.equal('DSL_INVALID');
        expect(details.findings).to.deep.equal([
          { location: 'dsl', message: says, ...(value !== undefined && { value }) },
        ]);
        expect(details.detail).to.contain(says);
      });
    }
  });

  it('is bounded: 500 legs a side, 100 keys, numbers of any length', () => {
    const legs = (n: number) => '@a :remaining)(from '.repeat(n - 1) + '@a :remaining';
    expect(parseScript(sent('1', legs(500), ':remaining')).send.source.from).to.have.lengthOf(500);
    const { refusal, details } = refused(sent('1', legs(501), ':remaining'));
    expect(refusal).to.equal('MALFORMED_FIELD');
    expect(details.findings?.[0]?.location).to.equal('send.source.from');

    const keys = (n: number) => Array.from({ length: n }, (_, i) => `(k${i} v)`).join('');
    const filled = split.replace('(send', `(metadata ${keys(100)})(send`);
    expect(Object.keys(parseScript(filled).metadata ?? {})).to.have.lengthOf(100);
    const full = split.replace('(send', `(metadata ${keys(101)})(send`);
    expect(refused(full).refusal).to.equal('TOO_MANY_KEYS');

    const huge = '9'.repeat(1_000_000);
    expect(parseScript(split.replace('300.10', huge)).send.value).to.equal(huge);
    const share = parseScript(split.replace(':share 30', `:share ${huge}`)).send.distribute.to[0];
    expect(share?.share?.percentage).to.equal(Number.MAX_SAFE_INTEGER);
    expect(refused('('.repeat(1024 * 1024)).refusal).to.equal('DSL_INVALID');
    expect(refused(`(${'x'.repeat(1_000_000)}`).details.detail.length).to.be.below(300);
  });

  function refused(script: string): Refusal {
    try {
      parseScript(script);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    throw new Error('It was taken');
  }
});

/** A script with these clauses on its second line. */
function at(clauses: string): string {
  return `(transaction V1 (chart-of-accounts-group-name G)
${clauses}
(send BRL 1 (source (from @a :remaining))
(distribute (to @b :remaining))))
`;
}

/** A script that sends on its second line. */
function sent(value: string, from: string, to: string): string {
  return `(transaction V1 (chart-of-accounts-group-name G)
(send BRL ${value} (source (from ${from}))
(distribute (to @b ${to}))))`;
}
