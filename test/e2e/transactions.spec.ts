import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  exactly,
  got,
  NOBODY,
  openBook,
  part,
  posted,
  rest,
  rowOf,
  sending,
  standing,
  transfer,
  type Book,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('transactions', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  const open = async () => {
    book = await openBook(client, {
      assets: ['BRL', 'USD'],
      accounts: ['@alice', '@bob', '@carol'],
      funds: { '@alice': '500' },
    });
  };

  const post = (body: unknown) => client.post(`${book.at}/transactions/json`, body);
  const rows = ({ operations }: Transaction) => operations.map(rowOf);

  describe('that are taken', () => {
    beforeEach(open);

    it('answer CREATED when they are created and APPROVED whenever they are read', async () => {
      const answer = await post(transfer('@alice', '@bob', '1'));
      const created = answer.json() as Transaction;
      expect(created.status).to.deep.equal({ code: 'CREATED', description: 'CREATED' });
      const status = { code: 'APPROVED', description: 'APPROVED' };
      const path = `${book.at}/transactions/${created.id}`;
      expect(await got(client, path)).to.deep.equal({ ...created, status });
      expect((await client.get(path)).text).to.equal(
        answer.text.replace(
          '"status":{"code":"CREATED","description":"CREATED"}',
          '"status":{"code":"APPROVED","description":"APPROVED"}',
        ),
      );
    });

    it('keep what their request says, for the whole and for each leg', async () => {
      const route = '0197f3a0-2222-7aaa-8bbb-00000000000f';
      const body = sending(
        '3',
        [
          {
            ...exactly('@alice', '3'),
            description: 'Own words',
            chartOfAccounts: '1.2',
            metadata: { leg: 1 },
            route: 'r',
            routeId: route.toUpperCase(),
            rate: { from: 'BRL', to: 'BRL', value: '1', externalId: 'x' },
            isFrom: true,
          },
        ],
        [exactly('@bob', '3')],
        {
          chartOfAccountsGroupName: 'GROUP',
          description: 'Words',
          code: 'c-1',
          pending: false,
          metadata: { whole: true },
          route: 'old',
          routeId: route,
        },
      );
      const transaction = await posted(client, book.at, body);
      expect(transaction).to.deep.include({
        chartOfAccountsGroupName: 'GROUP',
        description: 'Words',
        metadata: { whole: true },
        route: 'old',
        routeId: route,
      });
      const [debit, credit] = transaction.operations;
      expect(debit).to.deep.include({
        description: 'Own words',
        chartOfAccounts: '1.2',
        metadata: { leg: 1 },
        route: 'r',
        routeId: route,
      });
      expect(credit).to.deep.include({
        description: 'Words',
        chartOfAccounts: '',
        metadata: {},
        route: '',
      });
      expect(transaction).not.to.have.any.keys('code', 'parentTransactionId', 'groupId', 'scheme');
    });

    it('take a decimal in every form of its grammar, and print it plain', async () => {
      const forms: readonly [sent: string, shown: string][] = [
        ['"01"', '1'],
        ['"1."', '1'],
        ['".5"', '0.5'],
        ['"+1"', '1'],
        ['"1E-2"', '0.01'],
        ['1e0', '1'],
        ['1.10', '1.1'],
        ['0.000000000000000000000000000001', '0.000000000000000000000000000001'],
        ['0.12345678901234567890123456789', '0.12345678901234567890123456789'],
      ];
      for (const [sent, shown] of forms) {
        const amount = `"amount":{"asset":"BRL","value":${sent}}`;
        const answer = await post(
          `{"send":{"asset":"BRL","value":${sent},` +
            `"source":{"from":[{"accountAlias":"@alice",${amount}}]},` +
            `"distribute":{"to":[{"accountAlias":"@bob",${amount}}]}}}`,
        );
        expect(answer.status, answer.text).to.equal(201);
        const transaction = answer.json() as Transaction;
        expect(transaction.amount).to.equal(shown);
        expect(transaction.operations.map(({ amount: { value } }) => value)).to.deep.equal([
          shown,
          shown,
        ]);
      }
    });

    it('carry 30 + 30 digits without loss', async () => {
      const value = `${'9'.repeat(30)}.${'9'.repeat(30)}`;
      await createAccount(client, book.at, { alias: '@usd', assetCode: 'USD' });
      const body = transfer('@external/USD', '@usd', value, 'USD');
      const transaction = await posted(client, book.at, body);
      expect(transaction.amount).to.equal(value);
      expect(await standing(client, book.at, '@usd')).to.equal(`${value}/0 v1`);
      const more = await post(transfer('@external/USD', '@usd', '1', 'USD'));
      expectProblem(more, 422, 'LDG-0097', { entityType: 'Transaction' });
      expect(await standing(client, book.at, '@usd')).to.equal(`${value}/0 v1`);
    });

    it('book operations by alias and key, legs on one balance in request order, chained', async () => {
      const body = sending(
        '10',
        [exactly('@alice', '4'), exactly('@alice', '1'), rest('@alice')],
        [exactly('@carol', '6'), exactly('@bob', '4')],
      );
      const transaction = await posted(client, book.at, body);
      expect(rows(transaction)).to.deep.equal([
        'DEBIT debit @alice 4 500/0 v1 → 496/0 v2',
        'DEBIT debit @alice 1 496/0 v2 → 495/0 v3',
        'DEBIT debit @alice 5 495/0 v3 → 490/0 v4',
        'CREDIT credit @bob 4 0/0 v0 → 4/0 v1',
        'CREDIT credit @carol 6 0/0 v0 → 6/0 v1',
      ]);
      expect(transaction.source).to.deep.equal(['@alice', '@alice', '@alice']);
      expect(transaction.destination).to.deep.equal(['@carol', '@bob']);
    });

    it('book nothing for a remainder of zero', async () => {
      const body = sending('1', [exactly('@alice', '1')], [rest('@carol'), exactly('@bob', '1')]);
      expect(rows(await posted(client, book.at, body))).to.have.lengthOf(2);
      expect(await standing(client, book.at, '@carol')).to.equal('0/0 v0');
    });

    it('work out shares of the whole value, shares of shares, and what remains last', async () => {
      const body = sending(
        '0.000000000000000000000000000003',
        [exactly('@alice', '0.000000000000000000000000000003')],
        [rest('@bob'), part('@carol', 33, 7)],
      );
      expect(
        rows(await posted(client, book.at, body)).map((row) => row.split(' ')[3]),
      ).to.deep.equal([
        '0.000000000000000000000000000003',
        '0.0000000000000000000000000000029307',
        '0.0000000000000000000000000000000693',
      ]);
    });

    it('go from 500 sources to 500 destinations', async () => {
      const names = Array.from({ length: 500 }, (_, n) => n);
      await Promise.all(
        names.map((n) => createAccount(client, book.at, { alias: `@to-${n}`, assetCode: 'BRL' })),
      );
      const body = sending(
        '500',
        names.map(() => exactly('@alice', '1')),
        names.map((n) => exactly(`@to-${n}`, '1')),
      );
      const transaction = await posted(client, book.at, body);
      expect(transaction.operations).to.have.lengthOf(1000);
      expect(await standing(client, book.at, '@alice')).to.equal('0/0 v501');
      const longer = sending(
        '501',
        [exactly('@external/BRL', '501')],
        [...names, 0].map((n) => exactly(`@to-${n}`, '1')),
      );
      expectProblem(await post(longer), 400, 'LDG-0047', { locations: ['send.distribute.to'] });
    });

    it('take a date of the past, which orders nothing and moves createdAt', async () => {
      const dated = await posted(client, book.at, {
        ...transfer('@alice', '@bob', '1'),
        transactionDate: '2020-02-29',
      });
      expect(Date.parse(dated.createdAt)).to.equal(Date.parse('2020-02-29T00:00:00Z'));
      expect(dated.operations.map(({ createdAt }) => createdAt)).to.deep.equal([
        dated.createdAt,
        dated.createdAt,
      ]);
      const later = await posted(client, book.at, transfer('@alice', '@bob', '1'));
      const { items } = await got<List<Transaction>>(
        client,
        `${book.at}/transactions?limit=2&sort_order=desc`,
      );
      expect(items.map(({ id }) => id)).to.deep.equal([later.id, dated.id]);
      const path = `${book.at}/transactions?start_date=2020-02-29&end_date=2020-02-29`;
      const found = await got<List<Transaction>>(client, path);
      expect(found.items.map(({ id }) => id)).to.deep.equal([dated.id]);

      const ahead = { ...transfer('@alice', '@bob', '1'), transactionDate: '2999-01-01T00:00:00Z' };
      expectProblem(await post(ahead), 400, 'LDG-0121');
      const none = { ...transfer('@alice', '@bob', '1'), transactionDate: '2021-02-29' };
      expectProblem(await post(none), 400, 'LDG-0094', { locations: ['transactionDate'] });
    });

    it('let only the outside go below zero', async () => {
      await posted(client, book.at, transfer('@alice', '@external/BRL', '500'));
      expect(await standing(client, book.at, '@external/BRL')).to.equal('0/0 v2');
      await createAccount(client, book.at, { alias: '@usd', assetCode: 'USD' });
      await posted(client, book.at, transfer('@external/USD', '@usd', '1', 'USD'));
      await posted(client, book.at, transfer('@usd', '@external/USD', '1', 'USD'));
      const broke = await post(transfer('@alice', '@bob', '0.01'));
      const { detail } = expectProblem(broke, 422, 'LDG-0018', { entityType: 'Transaction' });
      expect(detail).to.contain('insufficient').and.to.contain('funds');
    });

    it('are listed by cursor with their operations, by metadata and by date', async () => {
      const tagged = { ...transfer('@alice', '@bob', '2'), metadata: { invoice: 77, paid: true } };
      const { id } = await posted(client, book.at, tagged);
      const list = await got<List<Transaction>>(client, `${book.at}/transactions`);
      expect(list).to.have.all.keys('items', 'limit');
      expect(list.items).to.have.lengthOf(2);
      expect(list.items[1]).to.deep.equal(await got(client, `${book.at}/transactions/${id}`));
      for (const [query, count] of [
        ['metadata.invoice=77', 1],
        ['metadata.invoice=77&metadata.paid=true', 1],
        ['metadata.invoice=77&metadata.paid=false', 0],
        ['start_date=2001-01-01&end_date=2002-01-01', 0],
      ] as const) {
        const { items } = await got<List<Transaction>>(client, `${book.at}/transactions?${query}`);
        expect(items, query).to.have.lengthOf(count);
      }
    });

    it('are looked up in their own ledger', async () => {
      const { id, operations } = await posted(client, book.at, transfer('@alice', '@bob', '1'));
      const other = await openBook(client);
      const elsewhere = await client.get(`${other.at}/transactions/${id}`);
      expectProblem(elsewhere, 404, 'LDG-0007', { entityType: 'Transaction' });
      for (const unknown of [NOBODY, operations[0]?.id ?? '']) {
        const answer = await client.get(`${book.at}/transactions/${unknown}`);
        expectProblem(answer, 404, 'LDG-0007', { entityType: 'Transaction' });
      }
      const malformed = await client.get(`${book.at}/transactions/json`);
      expect([404, 405]).to.include(malformed.status);
    });

    it('keep money and order when many take from one account at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => post(transfer('@alice', '@bob', '10'))),
      );
      const won = answers.filter(({ status }) => status === 201);
      expect(won).to.have.lengthOf(50);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expectProblem(answer, 422, 'LDG-0018');
      }
      expect(await standing(client, book.at, '@alice')).to.equal('0/0 v51');
      expect(await standing(client, book.at, '@bob')).to.equal('500/0 v50');
    });
  });

  describe('that are refused', () => {
    before(open); // None of them leaves a trace, so they share one.

    const ALMOST = '99.99999999999999999999';
    const one = (more: object) => [{ accountAlias: '@alice', ...more }];
    const amount = { asset: 'BRL', value: '1' };
    const to = [exactly('@bob', '1')];
    const refused: readonly [
      what: string,
      body: () => unknown,
      status: number,
      code: string,
      locations?: readonly string[],
    ][] = [
      ['nothing to send', () => ({}), 400, 'LDG-0009', ['send']],
      [
        'empty sides',
        () => sending('1', [], []),
        400,
        'LDG-0009',
        ['send.source.from', 'send.distribute.to'],
      ],
      [
        'a leg without alias',
        () => sending('1', [{ accountAlias: '', amount }], to),
        400,
        'LDG-0009',
        ['send.source.from[0].accountAlias'],
      ],
      ['a value of zero', () => transfer('@alice', '@bob', '0'), 422, 'LDG-0125'],
      ['a negative value', () => transfer('@alice', '@bob', '-1'), 422, 'LDG-0125'],
      [
        'no value',
        () => ({ send: { asset: 'BRL', source: { from: one({ amount }) }, distribute: { to } } }),
        422,
        'LDG-0125',
        ['send.value'],
      ],
      [
        'a leg of zero',
        () => sending('1', [exactly('@alice', '1'), exactly('@alice', '0')], to),
        422,
        'LDG-0125',
        ['send.source.from[1].amount.value'],
      ],
      ['no quantity', () => sending('1', one({}), to), 400, 'LDG-0072'],
      [
        'two quantities',
        () => sending('1', one({ amount, share: { percentage: 100 } }), to),
        400,
        'LDG-0072',
      ],
      ['an empty remaining', () => sending('1', one({ remaining: '' }), to), 400, 'LDG-0072'],
      ['two remainders', () => sending('1', [rest('@alice'), rest('@carol')], to), 422, 'LDG-0073'],
      [
        'a remainder below zero',
        () => sending('1', [exactly('@alice', '2'), rest('@carol')], to),
        422,
        'LDG-0073',
      ],
      ['sides that differ', () => sending('2', [exactly('@alice', '2')], to), 422, 'LDG-0073'],
      [
        'one account on both sides',
        () => sending('2', [exactly('@alice', '1'), exactly('@bob', '1')], [exactly('@bob', '2')]),
        422,
        'LDG-0090',
      ],
      [
        'an unknown account',
        () => transfer('@alice', '@nobody', '1'),
        422,
        'LDG-0019',
        ['send.distribute.to[0].accountAlias'],
      ],
      [
        'unknown accounts and balances, all of them',
        () =>
          sending(
            '3',
            [exactly('@nobody', '1'), exactly('@alice', '1'), exactly('@noone', '1')],
            [{ ...exactly('@bob', '3'), balanceKey: 'asset-freeze' }],
          ),
        422,
        'LDG-0019',
        [
          'send.source.from[0].accountAlias',
          'send.source.from[2].accountAlias',
          'send.distribute.to[0].balanceKey',
        ],
      ],
      [
        'accounts that hold another asset, all of them',
        () =>
          sending(
            '2',
            [exactly('@alice', '2', 'USD')],
            [exactly('@bob', '1', 'USD'), exactly('@carol', '1', 'USD')],
            {},
            'USD',
          ),
        404,
        'LDG-0034',
        [
          'send.source.from[0].accountAlias',
          'send.distribute.to[0].accountAlias',
          'send.distribute.to[1].accountAlias',
        ],
      ],
      [
        'sources from outside that are to be held, all of them',
        () => ({
          ...sending(
            '2',
            [exactly('@external/BRL', '1'), exactly('@external/BRL', '1')],
            [exactly('@bob', '2')],
          ),
          pending: true,
        }),
        422,
        'LDG-0098',
        ['send.source.from[0].accountAlias', 'send.source.from[1].accountAlias'],
      ],
      [
        'an unknown balance',
        () => sending('1', one({ amount, balanceKey: 'asset-freeze' }), to),
        422,
        'LDG-0019',
        ['send.source.from[0].balanceKey'],
      ],
      [
        'a leg in another asset',
        () => sending('1', [exactly('@alice', '1', 'USD')], to),
        404,
        'LDG-0034',
      ],
      [
        'an asset the accounts do not hold',
        () => transfer('@alice', '@bob', '1', 'USD'),
        404,
        'LDG-0034',
      ],
      [
        'a share of 101',
        () => sending('1', [part('@alice', 101)], to),
        400,
        'LDG-0047',
        ['send.source.from[0].share.percentage'],
      ],
      ['a share of 1.5', () => sending('1', [part('@alice', 1.5)], to), 400, 'LDG-0094'],
      [
        'a share that is almost whole',
        () => JSON.stringify(sending('1', [part('@alice', 100)], to)).replace('100', ALMOST),
        400,
        'LDG-0094',
        ['send.source.from[0].share.percentage'],
      ],
      ['a comma', () => transfer('@alice', '@bob', '1,5'), 400, 'LDG-0094'],
      ['an empty amount', () => transfer('@alice', '@bob', ''), 400, 'LDG-0094'],
      ['31 digits', () => transfer('@alice', '@bob', '1'.repeat(31)), 422, 'LDG-0097'],
      [
        '31 fractional digits',
        () => transfer('@alice', '@bob', `0.${'1'.repeat(31)}`),
        422,
        'LDG-0097',
      ],
      ['an exponent of 999', () => transfer('@alice', '@bob', '1e999'), 422, 'LDG-0097'],
      [
        'skipped fees',
        () => ({ ...transfer('@alice', '@bob', '1'), skip: { fees: true } }),
        422,
        'LDG-0490',
      ],
      [
        'fields it does not have, before those it misses',
        () => ({ send: { asset: 'BRL', value: '1', to: 1 }, colour: 'red' }),
        400,
        'LDG-0053',
        ['colour', 'send.to', 'send.source', 'send.distribute'],
      ],
      [
        'a description of 257',
        () => ({ ...transfer('@alice', '@bob', '1'), description: 'd'.repeat(257) }),
        400,
        'LDG-0047',
        ['description'],
      ],
      [
        'a code of 101',
        () => ({ ...transfer('@alice', '@bob', '1'), code: 'd'.repeat(101) }),
        400,
        'LDG-0047',
        ['code'],
      ],
      [
        'a route id that is none',
        () => ({ ...transfer('@alice', '@bob', '1'), routeId: 'r' }),
        400,
        'LDG-0047',
        ['routeId'],
      ],
      ['more than is there', () => transfer('@alice', '@bob', '500.000001'), 422, 'LDG-0018'],
      [
        'an amount that is no object',
        () => sending('1', one({ amount: '1' }), to),
        400,
        'LDG-0094',
      ],
    ];
    for (const [what, body, status, code, locations] of refused) {
      it(`answer ${what} with ${code} and move nothing`, async () => {
        expectProblem(await post(body()), status, code, locations && { locations });
        expect(await standing(client, book.at, '@alice')).to.equal('500/0 v1');
        expect(await standing(client, book.at, '@bob')).to.equal('0/0 v0');
      });
    }

    it('name no place of a leg that the form leaves out', async () => {
      const into = { asset: 'XYZ', value: '1', distribute: { to: [exactly('@bob', '1', 'XYZ')] } };
      const unknown = await client.post(`${book.at}/transactions/inflow`, { send: into });
      const { detail } = expectProblem(unknown, 422, 'LDG-0019', { locations: [] });
      expect(detail).to.contain('@external/XYZ');
      const outOf = { asset: 'BRL', value: '1', source: { from: [rest('@external/BRL')] } };
      const circle = await client.post(`${book.at}/transactions/outflow`, { send: outOf });
      expectProblem(circle, 422, 'LDG-0090', { locations: [] });
    });

    it('name a blocked account, before funds and before what else is wrong later', async () => {
      await createAccount(client, book.at, { alias: '@blocked', blocked: true });
      const into = await post(transfer('@alice', '@blocked', '1'));
      expectProblem(into, 422, 'LDG-0502', { entityType: 'Transaction' });
      const outOf = await post(transfer('@blocked', '@alice', '1'));
      expectProblem(outOf, 422, 'LDG-0502');
      const poor = await post(transfer('@bob', '@blocked', '1'));
      expectProblem(poor, 422, 'LDG-0502');
    });
  });
});
