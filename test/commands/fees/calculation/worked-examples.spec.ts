import { expect } from 'chai';
import { charged } from './charged.ts';
import type { OracleCase, OracleFee, OracleLeg } from './fee-oracle.ts';

/* The worked examples of contract registry-and-fees §B7, by their numbers there. */

const legs = (text: string): readonly OracleLeg[] =>
  text.split(' · ').map((leg) => {
    const [alias = '', amount = ''] = leg.split(' ');
    return { alias, amount };
  });

const fee = (rule: string, values: string, more: Partial<OracleFee> = {}): OracleFee => ({
  key: 'p1',
  priority: 1,
  rule,
  calculations: values.split(' ').map((value) => {
    const type = value.endsWith('%') ? 'percentage' : 'flat';
    return { type, value: value.replace('%', '') };
  }),
  reference: 'originalAmount',
  deductible: false,
  credit: '@fees',
  routeFrom: more.deductible === true ? undefined : 'R1',
  routeTo: 'R2',
  ...more,
});

const deductible = { deductible: true };

const asked = (value: string, fees: readonly OracleFee[], more: Partial<OracleCase> = {}) => ({
  value,
  from: legs(`@payer ${value}`),
  to: legs(`@shop ${value}`),
  waived: [],
  fees,
  scale: 2,
  ...more,
});

const three = (second: string): readonly OracleFee[] => [
  fee('flatFee', '10'),
  fee('percentual', '1%', { key: 'p2', priority: 2, reference: second }),
  fee('percentual', '0.5%', {
    ...{ key: 'p3', priority: 3, deductible: true, credit: '@tax' },
    ...{ routeFrom: undefined, routeTo: undefined },
  }),
];
const vip = { from: legs('@payer 700 · @vip 300'), waived: ['@vip'] };
const largest = fee('maxBetweenTypes', '5 2%');

type Example = Readonly<{
  no: string;
  asked: OracleCase;
  value: string;
  from: string;
  to: string;
  reason?: string;
}>;

const examples: readonly Example[] = [
  {
    no: '1: a flat fee on top',
    asked: asked('1000', [fee('flatFee', '15')]),
    value: '1015',
    from: '@payer 1000 · @payer 15 R1',
    to: '@shop 1000 · @fees 15 R2 <- @payer',
  },
  {
    no: '2: a deductible flat fee',
    asked: asked('1000', [fee('flatFee', '15', deductible)]),
    value: '1000',
    from: '@payer 1000',
    to: '@shop 985 · @fees 15 R2 <- @shop',
  },
  {
    no: '3: a percentage on top',
    asked: asked('1000', [fee('percentual', '2%')]),
    value: '1020',
    from: '@payer 1000 · @payer 20 R1',
    to: '@shop 1000 · @fees 20 R2 <- @payer',
  },
  {
    no: '4: a deductible percentage of two destinations',
    asked: asked('1000', [fee('percentual', '2%', deductible)], { to: legs('@a 600 · @b 400') }),
    value: '1000',
    from: '@payer 1000',
    to: '@a 588 · @b 392 · @fees 12 R2 <- @a · @fees 8 R2 <- @b',
  },
  {
    no: '5: the larger of two, the percentage',
    asked: asked('1000', [largest]),
    value: '1020',
    from: '@payer 1000 · @payer 20 R1',
    to: '@shop 1000 · @fees 20 R2 <- @payer',
  },
  {
    no: '6: the larger of two, the flat value',
    asked: asked('200', [largest]),
    value: '205',
    from: '@payer 200 · @payer 5 R1',
    to: '@shop 200 · @fees 5 R2 <- @payer',
  },
  {
    no: '7: three fees, one on the amount after fees',
    asked: asked('1000', three('afterFeesAmount')),
    value: '1020.1',
    from: '@payer 1000 · @payer 10 R1 · @payer 10.1 R1',
    to: '@shop 995 · @fees 10 R2 <- @payer · @fees 10.1 R2 <- @payer · @tax 5 <- @shop',
  },
  {
    no: '8: three fees on the original amount',
    asked: asked('1000', three('originalAmount')),
    value: '1020',
    from: '@payer 1000 · @payer 10 R1 · @payer 10 R1',
    to: '@shop 995 · @fees 10 R2 <- @payer · @fees 10 R2 <- @payer · @tax 5 <- @shop',
  },
  {
    no: '9: one of two payers is waived',
    asked: asked('1000', [fee('percentual', '1.5%')], vip),
    value: '1015',
    from: '@payer 700 · @vip 300 · @payer 15 R1',
    to: '@shop 1000 · @fees 15 R2 <- @payer',
  },
  {
    no: '10: all payers are waived',
    asked: asked('1000', [fee('percentual', '1.5%')], { ...vip, waived: ['@vip', '@payer'] }),
    value: '1000',
    from: '@payer 700 · @vip 300',
    to: '@shop 1000',
    reason: 'all_source_accounts_exempt',
  },
  {
    no: '11: a rounded total and cut shares',
    asked: asked('199.99', [fee('percentual', '2.375%')], { from: legs('@a 139.99 · @b 60') }),
    value: '204.74',
    from: '@a 139.99 · @b 60 · @a 3.33 R1 · @b 1.42 R1',
    to: '@shop 199.99 · @fees 3.33 R2 <- @a · @fees 1.42 R2 <- @b',
  },
  {
    no: '12: thirds in version 1',
    asked: asked('300', [fee('flatFee', '10')], { from: legs('@a 100 · @b 100 · @c 100') }),
    value: '310',
    from: '@a 100 · @b 100 · @c 100 · @a 3.34 R1 · @b 3.33 R1 · @c 3.33 R1',
    to: '@shop 300 · @fees 3.34 R2 <- @a · @fees 3.33 R2 <- @b · @fees 3.33 R2 <- @c',
  },
  {
    no: '12: thirds in version 2',
    asked: asked('300', [fee('flatFee', '10')], {
      from: legs('@a 100 · @b 100 · @c 100'),
      scale: undefined,
    }),
    value: '310',
    from:
      '@a 100 · @b 100 · @c 100 · ' +
      '@a 3.3333333333333334 R1 · @b 3.3333333333333333 R1 · @c 3.3333333333333333 R1',
    to:
      '@shop 300 · @fees 3.3333333333333334 R2 <- @a · ' +
      '@fees 3.3333333333333333 R2 <- @b · @fees 3.3333333333333333 R2 <- @c',
  },
];

describe('the worked examples of fees', () => {
  for (const { no, asked: given, value, from, to, reason } of examples) {
    it(no, () => {
      const found = charged(given);
      if (typeof found === 'string') throw new Error(`It is refused: ${found}`);
      expect([found.value, found.from.join(' · '), found.to.join(' · ')]).to.deep.equal([
        ...[value, from, to],
      ]);
      expect(found.reason).to.equal(reason);
      expect(found.charged).to.equal(reason === undefined);
    });
  }

  it('13: a second deduction that is not smaller than its leg', () => {
    const fees = [
      fee('percentual', '60%', deductible),
      fee('percentual', '50%', { ...deductible, key: 'p2', priority: 2 }),
    ];
    expect(charged(asked('100', fees))).to.equal('FEE_DEDUCTION_TOO_LARGE');
  });
});

describe('a fee', () => {
  const amountOf = (given: OracleCase): unknown => {
    const found = charged(given);
    return typeof found === 'string' ? found : found.amounts;
  };

  it('is rounded half away from zero to the scale of version 1, and not at all in version 2', () => {
    const half = (scale: number | undefined) =>
      amountOf(asked('0.5', [fee('percentual', '1%')], { scale }));
    expect([half(2), half(3), half(0), half(undefined)]).to.deep.equal([
      ...[{ p1: '0.01' }, { p1: '0.005' }, { p1: '0' }, { p1: '0.005' }],
    ]);
  });

  it('of nothing adds no leg and no exemption', () => {
    const found = charged(asked('10', [fee('flatFee', '0')], { waived: ['@payer'] }));
    expect(found).to.deep.include({ charged: false, reason: undefined, to: ['@shop 10'] });
  });

  it('is not computed beyond the digits of an amount', () => {
    const tiny = `0.${'0'.repeat(29)}1`;
    const given = asked(tiny, [fee('percentual', `${tiny}%`)], { scale: undefined });
    expect(charged(given)).to.equal('FEE_NOT_COMPUTABLE');
    const large = '9'.repeat(30);
    expect(charged(asked(large, [fee('flatFee', '1')]))).to.equal('FEE_NOT_COMPUTABLE');
    expect(charged(asked(large, [fee('percentual', `${large}%`)]))).to.equal('FEE_NOT_COMPUTABLE');
  });

  it('adds no more legs to a side than a transaction may have', () => {
    const from = Array.from({ length: 251 }, (_, n) => ({ alias: `@${n}`, amount: '1' }));
    const fits = asked('250', [fee('flatFee', '250')], {
      from: from.slice(1),
      to: legs('@shop 250'),
    });
    const beyond = asked('251', [fee('flatFee', '251')], { from });
    expect(amountOf(fits)).to.deep.equal({ p1: '250' });
    expect(amountOf(beyond)).to.equal('FEE_NOT_COMPUTABLE');
  });

  it('does not waive an external account by its segment', () => {
    const from = [{ alias: '@external/BRL', segment: 's', amount: '10' }];
    const given = asked('10', [fee('flatFee', '1')], { from, waived: ['segment:s'] });
    expect(amountOf(given)).to.deep.equal({ p1: '1' });
  });
});
