import { expect } from 'chai';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventsOf, serverOfBlock, sharedServer } from '#test/support/server.ts';
import {
  createOrganization,
  exactly,
  got,
  made,
  posted,
  sending,
  standing,
  transfer,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { createPackage, fee, flat, openFeeBook, percent, R1, R2 } from './fee-books.ts';
import { expectProblem } from './problems.ts';
import { openGroupLedger, type Group } from './staged-groups.ts';
import { inScope } from './v2-request.ts';

/** A package of any amount; `values` such as `'15'` or `'2%'`. */
const feeOf = (values: string, more: object = {}) =>
  fee({
    calculationModel: values.endsWith('%') ? percent(values.slice(0, -1)) : flat(values),
    ...more,
  });
const widely = { minimumAmount: '1', maximumAmount: '100000' };
const deductible = { isDeductibleFrom: true };

const three = {
  p1: feeOf('10', { routeFrom: R1, routeTo: R2 }),
  p2: feeOf('1%', { priority: 2, referenceAmount: 'afterFeesAmount' }),
  p3: feeOf('0.5%', { priority: 3, ...deductible, creditAccount: '@tax' }),
};

const rowsOf = ({ operations }: Transaction): string[] =>
  operations.map(
    ({ direction, accountAlias, amount }) => `${direction} ${accountAlias} ${amount.value}`,
  );
const ofFees = ({ operations }: Transaction): readonly Operation[] =>
  operations.filter(({ accountAlias }) => accountAlias === '@fees');

/** Fees in the ledger's own transactions, over HTTP (contract registry-and-fees §B8). */
describe('fees in transactions', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  let to: ReturnType<typeof inScope>;
  let v2: string;

  beforeEach(async () => {
    book = await openFeeBook(client);
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
    v2 = book.at.replace('/v1/', '/v2/');
    await posted(client, book.at, transfer('@external/BRL', '@payer', '5000'));
  });
  /** The auditor agrees with the ledger, whatever the test did. */
  afterEach(async () => {
    const verifier = createJournalVerifier(audit, `ledger-${book.ledger}`);
    for (const event of await eventsOf(server(), `ledger-${book.ledger}`)) {
      expect(verifier.take(event)).to.equal(undefined);
    }
  });

  const pay = (value: string, more: object = {}) =>
    client.post(`${book.at}/transactions/json`, transfer('@payer', '@shop', value, 'BRL', more));
  const payV2 = (value: string, more: object = {}) =>
    client.post('/v2/transactions/direct', to.direct('@payer', '@shop', value, more));
  const taken = async (answer: Promise<Answer>): Promise<Transaction> => {
    const { status, text, json } = await answer;
    expect(status, text).to.equal(201);
    return json() as Transaction;
  };
  const packageOf = (fees: object, more: object = {}) =>
    createPackage(client, book, { ...widely, fees, ...more });

  describe('follow the worked examples:', () => {
    const examples: readonly (readonly [
      what: string,
      fees: object,
      more: object,
      value: string,
      amount: string,
      rows: readonly string[],
    ])[] = [
      [
        '1: a flat fee on top',
        { p1: feeOf('15') },
        {},
        '1000',
        '1015',
        ['credit @fees 15', 'debit @payer 1000', 'debit @payer 15', 'credit @shop 1000'],
      ],
      [
        '2: a deductible flat fee',
        { p1: feeOf('15', deductible) },
        { minimumAmount: '15' },
        '1000',
        '1000',
        ['credit @fees 15', 'debit @payer 1000', 'credit @shop 985'],
      ],
      [
        '7: three fees, each on its own base',
        three,
        {},
        '1000',
        '1020.1',
        [
          ...['credit @fees 10', 'credit @fees 10.1'],
          ...['debit @payer 1000', 'debit @payer 10', 'debit @payer 10.1'],
          ...['credit @shop 995', 'credit @tax 5'],
        ],
      ],
      [
        '14: below the range',
        { p1: feeOf('15') },
        { minimumAmount: '100', maximumAmount: '1000' },
        '99.99',
        '99.99',
        ['debit @payer 99.99', 'credit @shop 99.99'],
      ],
      [
        '14: at its upper bound',
        { p1: feeOf('15') },
        { minimumAmount: '100', maximumAmount: '1000' },
        '1000',
        '1015',
        ['credit @fees 15', 'debit @payer 1000', 'debit @payer 15', 'credit @shop 1000'],
      ],
    ];
    for (const [what, fees, more, value, amount, rows] of examples) {
      it(what, async () => {
        await packageOf(fees, more);
        for (const answer of [pay(value), payV2(value)]) {
          const transaction = await taken(answer);
          expect(transaction.amount).to.equal(amount);
          expect(rowsOf(transaction)).to.deep.equal(rows);
          const path = `${book.at}/transactions/${transaction.id}`;
          expect(rowsOf(await got<Transaction>(client, path))).to.deep.equal(rows);
        }
      });
    }

    it('9 and 10: waived payers, and none left', async () => {
      await made(client, `${book.at}/accounts`, {
        ...{ assetCode: 'BRL', type: 'deposit', alias: '@vip' },
      });
      await posted(client, book.at, transfer('@external/BRL', '@vip', '1000'));
      const { id } = await packageOf({ p1: feeOf('1.5%') }, { waivedAccounts: ['@vip'] });
      const from = [exactly('@payer', '700'), exactly('@vip', '300')];
      const body = sending('1000', from, [exactly('@shop', '1000')]);
      const nine = await posted(client, book.at, body);
      expect(rowsOf(nine)).to.include.members(['debit @payer 15', 'debit @vip 300']);
      expect(ofFees(nine).map(({ metadata }) => metadata)).to.deep.equal([{ source: '@payer' }]);

      const patch = { waivedAccounts: ['@vip', '@payer'] };
      const changed = await client.patch(`${v2}/packages/${id}`, patch);
      expect(changed.status, changed.text).to.equal(200);
      const ten = await posted(client, book.at, body);
      expect([ten.amount, ten.operations.length]).to.deep.equal(['1000', 3]);
      expect(ten.metadata).to.deep.equal({
        packageAppliedID: id,
        feeExemption: {
          exempt: true,
          reason: 'all_source_accounts_exempt',
          message: 'All source accounts are exempt from the fee.',
        },
      });
    });

    it('13: a deduction that would take all that is left', async () => {
      await packageOf({
        p1: feeOf('60%', deductible),
        p2: feeOf('50%', { ...deductible, priority: 2 }),
      });
      for (const answer of [await pay('100'), await payV2('100')]) {
        expectProblem(answer, 422, 'FEE-0073');
      }
      expect(await standing(client, book.at, '@payer')).to.equal('5000/0 v1');
    });
  });

  describe('by the kind of transaction:', () => {
    let id: string;
    beforeEach(async () => {
      ({ id } = await packageOf(three));
    });

    it('every form of both versions is charged once, and repeats return the same bytes', async () => {
      const one = transfer('@payer', '@shop', '100');
      const into = { asset: 'BRL', value: '100', distribute: { to: [exactly('@shop', '100')] } };
      const outOf = { asset: 'BRL', value: '100', source: { from: [exactly('@payer', '100')] } };
      const item = { action: 'direct', order: 1, ...to.direct('@payer', '@shop', '100') };
      const forms: readonly (readonly [path: string, body: object])[] = [
        [`${book.at}/transactions/json`, one],
        [`${v2}/transactions/json`, one],
        [`${book.at}/transactions/inflow`, { send: into }],
        [`${v2}/transactions/outflow`, { send: outOf }],
        [`${book.at}/transactions/batch`, { atomic: true, transactions: [one] }],
        [`${book.at}/transactions/batch`, { transactions: [one] }],
        ['/v2/transactions/direct', to.direct('@payer', '@shop', '100')],
        ['/v2/transactions/hold', to.direct('@payer', '@shop', '100')],
        ['/v2/transactions/batch', { transactions: [item] }],
      ];
      for (const [path, body] of forms) {
        const key = 'atomic' in body || !('transactions' in body) || path.startsWith('/v2');
        const headers = key ? { 'X-Idempotency': path } : {};
        const answer = await client.post(path, body, headers);
        expect(answer.status, `${path}: ${answer.text}`).to.be.oneOf([200, 201]);
        const found = answer.json() as Transaction & {
          results?: { transaction: Transaction }[];
          transactions?: Transaction[];
        };
        const shown = found.results?.[0]?.transaction ?? found.transactions?.[0] ?? found;
        expect(shown.amount, path).to.equal('111.1');
        expect(shown.metadata, path).to.deep.equal({ packageAppliedID: id, feeApplied: 'true' });
        const marks = shown.operations.flatMap(({ metadata }) => metadata['feeLeg'] ?? []);
        const isV2 = path.startsWith('/v2/');
        expect(marks.length > 0, path).to.equal(isV2);
        if (key) expect((await client.post(path, body, headers)).text, path).to.equal(answer.text);
      }
    });

    it('legs of fees carry their routes', async () => {
      const operations = (await taken(payV2('1000'))).operations;
      const routed = operations.filter(({ routeId }) => routeId !== undefined);
      expect(routed.map(({ accountAlias, routeId }) => [accountAlias, routeId])).to.deep.equal([
        ['@fees', R2],
        ['@payer', R1],
      ]);
      const first = (await taken(pay('1000'))).operations[0];
      expect(first).to.include({ accountAlias: '@fees', route: R2, routeId: R2 });
    });

    it('a hold reserves them, a commit posts and a cancellation releases them', async () => {
      const hold = () =>
        made<Transaction>(client, '/v2/transactions/hold', to.direct('@payer', '@shop', '1000'));
      const kept = await hold();
      const given = await hold();
      expect(await standing(client, book.at, '@payer')).to.match(/^2959\.8\/2040\.2 /);
      await made(client, `${v2}/transactions/${kept.id}/commit`, {});
      await made(client, `${v2}/transactions/${given.id}/cancel`, {});
      expect(await standing(client, book.at, '@payer')).to.match(/^3979\.9\/0 /);
      expect(await standing(client, book.at, '@fees')).to.match(/^20\.1\/0 /);
      expect(await standing(client, book.at, '@tax')).to.match(/^5\/0 /);
    });

    it('a reversal returns them', async () => {
      for (const { id } of [await taken(pay('1000')), await taken(payV2('1000'))]) {
        const reversal = await made<Transaction>(
          client,
          `${book.at}/transactions/${id}/revert`,
          undefined,
        );
        expect(reversal.amount).to.equal('1020.1');
      }
      for (const alias of ['@fees', '@tax', '@shop']) {
        expect(await standing(client, book.at, alias)).to.match(/^0\/0 /);
      }
      expect(await standing(client, book.at, '@payer')).to.match(/^5000\/0 /);
    });

    it('annotations, blocks and unblocks are not charged', async () => {
      const note = await made<Transaction>(
        client,
        `${book.at}/transactions/annotation`,
        transfer('@payer', '@shop', '1000'),
      );
      expect(note.amount).to.equal('1000');
      for (const form of ['block', 'unblock']) {
        const moved = await made<Transaction>(
          client,
          `/v2/transactions/${form}`,
          to.direct('@payer', '@shop', '10'),
        );
        expect(moved.amount, form).to.equal('10');
      }
    });

    it('version 1 posts as authored what it calculated before', async () => {
      const metadata = { packageAppliedID: id, feeApplied: 'true' };
      expect((await taken(pay('1000', { metadata }))).amount).to.equal('1000');
      const refused = await payV2('1000', { metadata });
      expectProblem(refused, 400, 'LDG-0047', {
        locations: ['metadata.packageAppliedID', 'metadata.feeApplied'],
      });
    });

    it('a skip leaves them out where the ledger allows it', async () => {
      const skip = { skip: { fees: true } };
      expectProblem(await payV2('1000', skip), 422, 'LDG-0490', { locations: ['skip.fees'] });
      const overrides = { overrides: { allowFeeSkip: true } };
      expect((await client.patch(`${book.at}/settings`, overrides)).status).to.equal(200);
      const { amount, feesSkipped, metadata } = await taken(payV2('1000', skip));
      expect([amount, feesSkipped, metadata]).to.deep.equal(['1000', true, undefined]);
    });
  });

  describe('refuse the transaction, without a finding in its body,', () => {
    it('if several packages apply', async () => {
      for (const key of ['a', 'b']) {
        await made(client, `${v2}/packages`, {
          ...{ feeGroupLabel: key, ...widely, enable: true, fees: { p1: feeOf('15') } },
          metadataSelector: { [key]: '1' },
        });
      }
      const metadata = { a: '1', b: '1' };
      for (const answer of [await pay('10', { metadata }), await payV2('10', { metadata })]) {
        expectProblem(answer, 400, 'FEE-0034', { locations: [] });
      }
    });

    it('if the credit account was deleted', async () => {
      await packageOf({ p1: feeOf('15') });
      const { items } = await got<List<{ id: string; alias: string }>>(
        client,
        `${book.at}/accounts`,
      );
      const fees = items.find(({ alias }) => alias === '@fees')!;
      expect((await client.delete(`${book.at}/accounts/${fees.id}`)).status).to.equal(204);
      for (const answer of [await pay('10'), await payV2('10')]) {
        expectProblem(answer, 422, 'FEE-0014', { locations: [] });
      }
      const batch = { transactions: [transfer('@payer', '@shop', '10')] };
      const { results } = (await client.post(`${book.at}/transactions/batch`, batch)).json() as {
        results: { status: number; error: { code: string } }[];
      };
      expect(results.map(({ status, error }) => [status, error.code])).to.deep.equal([
        [422, 'FEE-0014'],
      ]);
    });

    it('if the payer lacks the fee', async () => {
      await packageOf({ p1: feeOf('15') });
      expectProblem(await pay('4990'), 422, 'LDG-0018');
      expect((await taken(pay('4985'))).amount).to.equal('5000');
    });
  });
});

describe('fees in transactions over several ledgers', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let retail: Awaited<ReturnType<typeof openGroupLedger>>;
  let shops: typeof retail;
  let pay: (kind: string, more?: object, headers?: Record<string, string>) => Promise<Answer>;
  beforeEach(async () => {
    const org = (await createOrganization(client)).id;
    retail = await openGroupLedger(client, org, 'Retail', ['@payer', '@fees']);
    shops = await openGroupLedger(client, org, 'Shops', ['@shop']);
    const payment = {
      ...{ asset: 'BRL', amount: '10' },
      debits: [inScope(retail).leg('@payer', '10')],
      credits: [inScope(shops).leg('@shop', '10')],
    };
    pay = (kind, more = {}, headers = {}) =>
      client.post(`/v2/transactions/${kind}`, { ...payment, ...more }, headers);
  });
  const charging = (fees: object) =>
    made(client, `${retail.at.replace('/v1/', '/v2/')}/packages`, {
      ...{ feeGroupLabel: 'Groups', ...widely, enable: true, fees },
    });
  const owned = async (): Promise<string[]> => {
    const all = [
      standing(client, retail.at, '@payer'),
      standing(client, retail.at, '@fees'),
      standing(client, shops.at, '@shop'),
    ];
    return (await Promise.all(all)).map((one) => one.replace(/ v.*/, ''));
  };
  const group = async (answer: Promise<Answer>): Promise<Group> => {
    const { status, text, json } = await answer;
    expect(status, text).to.equal(201);
    return json() as Group;
  };
  const step = (what: string, { transactions: [first] }: Group) =>
    group(client.post(`${retail.at.replace('/v1/', '/v2/')}/transactions/${first!.id}/${what}`));

  it('are charged once, in the ledger of the debits', async () => {
    await charging({ p1: feeOf('1', { routeFrom: R1, routeTo: R2 }) });
    const found = await group(pay('direct'));
    expect(found.transactions.map(({ amount }) => amount)).to.deep.equal(['11', '10']);
    const applied = found.transactions.map(
      ({ metadata }) => (metadata as Record<string, string> | undefined)?.['feeApplied'],
    );
    expect(applied).to.deep.equal(['true', undefined]);
    expect(await owned()).to.deep.equal(['89/0', '101/0', '110/0']);
    await step('revert', found);
    expect(await owned()).to.deep.equal(['100/0', '100/0', '100/0']);
  });

  it('reduce what crosses the border if the receiver pays them', async () => {
    await charging({ p1: feeOf('1', deductible) });
    await group(pay('direct'));
    expect(await owned()).to.deep.equal(['90/0', '101/0', '109/0']);
  });

  it('are held, posted and released with the group', async () => {
    await charging({ p1: feeOf('10%') });
    const held = await group(pay('hold'));
    expect(await owned()).to.deep.equal(['89/11', '100/0', '100/0']);
    await step('cancel', held);
    expect(await owned()).to.deep.equal(['100/0', '100/0', '100/0']);
    await step('commit', await group(pay('hold')));
    expect(await owned()).to.deep.equal(['89/0', '101/0', '110/0']);
  });

  it('are not charged if the debits are in several ledgers', async () => {
    await charging({ p1: feeOf('1') });
    const debits = [inScope(retail).leg('@payer', '5'), inScope(shops).leg('@shop', '5')];
    const credits = [inScope(retail).leg('@fees', '10')];
    await group(pay('direct', { debits, credits }));
    expect(await owned()).to.deep.equal(['95/0', '110/0', '95/0']);
  });

  it('refuse the group, but not the repeat of one that was accepted', async () => {
    const key = { 'X-Idempotency': 'group-with-fees' };
    const metadata = { a: 'x', b: 'x' };
    const first = await group(pay('direct', { metadata }, key));
    const selector = (key: string) => ({ metadataSelector: { [key]: 'x' } });
    const body = { feeGroupLabel: 'Two', ...widely, enable: true, fees: { p1: feeOf('1') } };
    for (const name of ['a', 'b']) {
      const packages = `${retail.at.replace('/v1/', '/v2/')}/packages`;
      await made(client, packages, { ...body, ...selector(name) });
    }
    expectProblem(await pay('direct', { metadata }), 400, 'FEE-0034', { locations: [] });
    expect(await group(pay('direct', { metadata }, key))).to.deep.equal(first);
    expect(await owned()).to.deep.equal(['90/0', '100/0', '110/0']);
  });
});

describe('fees in transactions, kept from version 1', () => {
  const server = serverOfBlock({ env: { FEES_APPLY_ON_V1: 'false' } });
  const client = clientOf(server);
  after(() => client.close());

  it('are charged on version 2 alone', async () => {
    const book = await openFeeBook(client);
    const to = inScope({ organizationId: book.org, ledgerId: book.ledger });
    await posted(client, book.at, transfer('@external/BRL', '@payer', '5000'));
    await createPackage(client, book, { ...widely, fees: { p1: feeOf('15') } });
    const one = await posted(client, book.at, transfer('@payer', '@shop', '1000'));
    expect(one.amount).to.equal('1000');
    const two = to.direct('@payer', '@shop', '1000');
    expect((await made<Transaction>(client, '/v2/transactions/direct', two)).amount).to.equal(
      '1015',
    );
  });
});
