import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, serverOfBlock } from '#test/support/server.ts';
import { createAccount, made, NOBODY, type Book, type Segment } from './books.ts';
import {
  createPackage,
  fee,
  flat,
  inOrganization,
  openFeeBook,
  percent,
  R1,
  R2,
  type FeePackageBody,
} from './fee-books.ts';
import { expectProblem } from './problems.ts';

type SentLeg = Readonly<{
  accountAlias: string;
  amount: Readonly<{ value: string }>;
  route?: string;
  routeId?: string;
  balanceKey?: string;
  metadata?: Readonly<{ source?: string }> | null;
  chartOfAccounts?: string;
}>;
type Charged = Readonly<{
  segmentId?: string | null;
  ledgerId: string;
  transaction: Readonly<{
    metadata?: Readonly<Record<string, unknown>>;
    send: Readonly<{
      value: string;
      source: Readonly<{ from: readonly SentLeg[] }>;
      distribute: Readonly<{ to: readonly SentLeg[] }>;
    }>;
  }>;
  explain: readonly Readonly<Record<string, string>>[];
}>;
type Estimated = Readonly<{ message: string; feesApplied: Charged | null }>;

const amount = (accountAlias: string, value: string, more: object = {}) => ({
  accountAlias,
  amount: { asset: 'BRL', value },
  ...more,
});

const transaction = (value: string, more: object = {}, send: object = {}) => ({
  ...more,
  send: {
    asset: 'BRL',
    value,
    source: { from: [{ accountAlias: '@payer', share: { percentage: 100 } }] },
    distribute: { to: [{ accountAlias: '@shop', remaining: 'remaining' }] },
    ...send,
  },
});

/** `@payer 10 R1`, `@fees 10 <- @payer` */
const lines = (legs: readonly SentLeg[]) =>
  legs.map(({ accountAlias, amount: { value }, route, metadata }) =>
    [
      ...[accountAlias, value],
      ...(route === undefined ? [] : [route === R1 ? 'R1' : 'R2']),
      ...(metadata?.source === undefined ? [] : ['<-', metadata.source]),
    ].join(' '),
  );
const sidesOf = ({ transaction: { send } }: Charged) => ({
  value: send.value,
  from: lines(send.source.from),
  to: lines(send.distribute.to),
});

describe('calculating fees', () => {
  const server = serverOfBlock({ env: { FEE_ASSET_SCALES: 'points=0' } });
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  beforeEach(async () => {
    book = await openFeeBook(client);
  });

  const send = (path: string, body: object): Promise<Answer> =>
    client.post(path, body, inOrganization(book.org));
  const calculate = (body: object, more: object = {}): Promise<Answer> =>
    send('/v1/fees', { ledgerId: book.ledger, transaction: body, ...more });
  const calculated = async (body: object, more: object = {}): Promise<Charged> => {
    const answer = await calculate(body, more);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as Charged;
  };
  const priced = (fees: object, more: object = {}): Promise<FeePackageBody> =>
    createPackage(client, book, { fees, minimumAmount: '0', maximumAmount: '10000', ...more });

  const three = {
    p3: fee({
      calculationModel: percent('0.5'),
      ...{ priority: 3, isDeductibleFrom: true, creditAccount: '@tax' },
    }),
    p1: fee({ calculationModel: flat('10'), routeFrom: R1, routeTo: R2 }),
    p2: fee({
      calculationModel: percent('1'),
      ...{ priority: 2, referenceAmount: 'afterFeesAmount', routeFrom: R1, routeTo: R2 },
    }),
  };

  it('returns the transaction with its fees, and explains each (worked example 7)', async () => {
    const { id } = await priced(three, { transactionRoute: 'pix' });
    const before = await eventCount(server());
    const sent = transaction('1000', {
      description: 'order 9',
      route: 'pix',
      metadata: { order: '9' },
    });
    const answer = await calculate(sent, { segmentId: null });
    const leg = (accountAlias: string, value: string, more: object = {}) => ({
      accountAlias,
      amount: { asset: 'BRL', value },
      ...more,
    });
    const from = { route: R1, routeId: R1 };
    const to = { route: R2, routeId: R2, metadata: { source: '@payer' } };
    const rounding = 'halfAwayFromZero:2';
    const first = { packageId: id, feeKey: 'p1', rule: 'flatFee' };
    expect(answer.text).to.equal(
      JSON.stringify({
        segmentId: null,
        ledgerId: book.ledger,
        transaction: {
          description: 'order 9',
          route: 'pix',
          metadata: { order: '9', packageAppliedID: id, feeApplied: 'true' },
          send: {
            asset: 'BRL',
            value: '1020.1',
            source: {
              from: [leg('@payer', '1000'), leg('@payer', '10', from), leg('@payer', '10.1', from)],
            },
            distribute: {
              to: [
                leg('@shop', '995'),
                leg('@fees', '10', to),
                leg('@fees', '10.1', to),
                leg('@tax', '5', { metadata: { source: '@shop' } }),
              ],
            },
          },
        },
        explain: [
          { ...first, referenceAmount: 'originalAmount', value: '10', rounding, amount: '10' },
          {
            ...{ packageId: id, feeKey: 'p2', rule: 'percentual' },
            ...{ referenceAmount: 'afterFeesAmount', rate: '1', rounding, amount: '10.1' },
          },
          {
            ...{ packageId: id, feeKey: 'p3', rule: 'percentual' },
            ...{ referenceAmount: 'originalAmount', rate: '0.5', rounding, amount: '5' },
          },
        ],
      }),
    );
    expect(await eventCount(server()), 'events').to.equal(before);
  });

  it('returns what version 1 posts', async () => {
    await priced(three);
    const inflow = {
      send: { asset: 'BRL', value: '2000', distribute: { to: [amount('@payer', '2000')] } },
    };
    const path = `${book.at}/transactions`;
    expect((await client.post(`${path}/inflow`, inflow)).status).to.equal(201);
    const { transaction: charged } = await calculated(transaction('1000'));
    const answer = await client.post(`${path}/json`, charged);
    expect(answer.status, answer.text).to.equal(201);
    expect((answer.json() as { amount: string }).amount).to.equal('1020.1');
  });

  it('returns the transaction as it is when no package applies', async () => {
    await priced({ adm: fee() }, { minimumAmount: '100', maximumAmount: '1000' });
    for (const value of ['99.99', '1000.01']) {
      const found = await calculated(transaction(value));
      expect(found.explain).to.deep.equal([]);
      expect(found.transaction).to.not.have.property('metadata');
      expect(sidesOf(found)).to.deep.equal({
        value,
        from: [`@payer ${value}`],
        to: [`@shop ${value}`],
      });
    }
    for (const value of ['100', '1000']) {
      expect((await calculated(transaction(value))).explain).to.have.lengthOf(1);
    }
  });

  it('takes the segment that the sources share, or the one of the request', async () => {
    const { id: segmentId } = await made<Segment>(client, `${book.at}/segments`, { name: 'VIP' });
    for (const alias of ['@vip', '@vip2'])
      await createAccount(client, book.at, { alias, segmentId });
    const own = await priced({ a: fee({ calculationModel: flat('1') }) }, { segmentId });
    const common = await priced({ a: fee({ calculationModel: flat('2') }) });
    const appliedTo = async (aliases: readonly string[], more: object = {}) => {
      const from = aliases.map((alias) => amount(alias, '10'));
      const value = String(10 * aliases.length);
      const found = await calculated(transaction(value, {}, { source: { from } }), more);
      return found.transaction.metadata?.['packageAppliedID'];
    };
    expect(await appliedTo(['@vip', '@vip2'])).to.equal(own.id);
    expect(await appliedTo(['@vip', '@payer'])).to.equal(common.id);
    expect(await appliedTo(['@vip'], { segmentId: NOBODY })).to.equal(common.id);
    expect(await appliedTo(['@payer'], { segmentId })).to.equal(own.id);
    const moved = await client.patch(`${book.at}/accounts/${(await accountId('@vip')) ?? ''}`, {
      segmentId: null,
    });
    expect(moved.status, moved.text).to.equal(200);
  });
  const accountId = async (alias: string): Promise<string | undefined> => {
    const answer = await client.get(`${book.at}/accounts/alias/${alias}`);
    return (answer.json() as { id?: string }).id;
  };

  it('waives accounts by alias and by segment, and says so when all are', async () => {
    const { id: segmentId } = await made<Segment>(client, `${book.at}/segments`, { name: 'VIP' });
    await createAccount(client, book.at, { alias: '@vip', segmentId });
    const waivedAccounts = [`segment:${segmentId}`];
    const { id } = await priced(
      { a: fee({ calculationModel: percent('1.5') }) },
      { waivedAccounts },
    );
    const from = [amount('@payer', '700'), amount('@vip', '300')];
    expect(sidesOf(await calculated(transaction('1000', {}, { source: { from } })))).to.deep.equal({
      value: '1015',
      from: ['@payer 700', '@vip 300', '@payer 15'],
      to: ['@shop 1000', '@fees 15 <- @payer'],
    });
    const only = { source: { from: [amount('@vip', '300')] } };
    const exempt = await calculated(transaction('300', {}, only));
    expect(sidesOf(exempt).value).to.equal('300');
    expect(exempt.transaction.metadata).to.deep.equal({
      packageAppliedID: id,
      feeExemption: {
        exempt: true,
        reason: 'all_source_accounts_exempt',
        message: 'All source accounts are exempt from the fee.',
      },
    });
    expect(exempt.explain[0]).to.include({ amount: '0', rate: '1.5' });
  });

  it('rounds to the scale of the asset, which an operator may set', async () => {
    await priced({ a: fee({ calculationModel: percent('2.375') }) });
    const shared = { source: { from: [amount('@a', '139.99'), amount('@b', '60.00')] } };
    expect(sidesOf(await calculated(transaction('199.99', {}, shared)))).to.deep.equal({
      value: '204.74',
      from: ['@a 139.99', '@b 60', '@a 3.33', '@b 1.42'],
      to: ['@shop 199.99', '@fees 3.33 <- @a', '@fees 1.42 <- @b'],
    });
    const points = await calculated(transaction('100', {}, { asset: 'Points' }));
    expect(points.explain[0]).to.include({ rounding: 'halfAwayFromZero:0', amount: '2' });
  });

  it('keeps all members of legs and of the transaction', async () => {
    await priced({ a: fee() });
    const words = { description: 'd', chartOfAccounts: 'c', routeId: R1, metadata: { n: 1 } };
    const from = [
      {
        ...words,
        balanceKey: 'main',
        share: { percentage: 100 },
        rate: { from: 'BRL', value: 1.5 },
      },
    ];
    const sent = transaction(
      '100',
      { code: 'x', pending: true, routeId: R2 },
      { source: { from } },
    );
    const other = await calculate(sent);
    expect(other.status).to.equal(400); // A leg without its account.
    const named = { ...sent.send, source: { from: [{ ...from[0], accountAlias: '@payer' }] } };
    const found = await calculated({ ...sent, routeId: undefined, send: named });
    expect(found.transaction).to.include({ code: 'x', pending: true });
    const [leg, paid] = found.transaction.send.source.from;
    expect(leg).to.deep.equal({
      accountAlias: '@payer',
      amount: { asset: 'BRL', value: '100' },
      ...words,
      balanceKey: 'main',
      rate: { from: 'BRL', value: '1.5' },
    });
    expect(paid).to.deep.equal({
      accountAlias: '@payer',
      balanceKey: 'main',
      amount: { asset: 'BRL', value: '2' },
    });
  });

  it('refuses what has no fees', async () => {
    await priced({
      a: fee({ calculationModel: percent('60'), isDeductibleFrom: true }),
      b: fee({ calculationModel: percent('50'), isDeductibleFrom: true, priority: 2 }),
    });
    expectProblem(await calculate(transaction('100')), 422, 'FEE-0073');
    const legs = (from: object) => transaction('100', {}, { source: { from: [from] } });
    expectProblem(await calculate(legs(amount('@payer', '99'))), 400, 'FEE-0037');
    expectProblem(await calculate(legs({ accountAlias: '@payer' })), 400, 'FEE-0021', {
      locations: ['transaction.send.source.from[0]'],
    });
    const dollars = { accountAlias: '@payer', amount: { asset: 'USD', value: '100' } };
    expectProblem(await calculate(legs(dollars)), 400, 'FEE-0003');
    expectProblem(await calculate(transaction('0')), 400, 'FEE-0003');
    expectProblem(await calculate(transaction('1,5')), 400, 'FEE-0041');
    expectProblem(await calculate(transaction('1', { skip: {} })), 400, 'FEE-0001');
    expectProblem(await calculate(transaction('1'), { ledgerId: NOBODY }), 404, 'LDG-0037');
    expectProblem(await calculate(transaction('1'), { ledgerId: 'x' }), 400, 'FEE-0040');
    expectProblem(await client.post('/v1/fees', {}), 400, 'FEE-0020');
  });

  it('refuses several packages that are as specific', async () => {
    const at = `/v2/organizations/${book.org}/ledgers/${book.ledger}/packages`;
    for (const key of ['a', 'b']) {
      const body = {
        ...{ feeGroupLabel: key, minimumAmount: '0', maximumAmount: '10', enable: true },
        ...{ fees: { a: fee() }, metadataSelector: { [key]: '1' } },
      };
      await made(client, at, body);
    }
    const both = transaction('5', { metadata: { a: '1', b: '1' } });
    expectProblem(await calculate(both), 400, 'FEE-0034');
  });

  describe('as an estimate', () => {
    const estimate = (packageId: string, body: object): Promise<Answer> =>
      send('/v1/estimates', { packageId, ledgerId: book.ledger, transaction: body });
    const inPath = (packageId: string, body: object): Promise<Answer> =>
      client.post(`/v1/organizations/${book.org}/estimates`, {
        ...{ packageId, ledgerId: book.ledger, transaction: body },
      });
    const v2 = (packageId: string, body: object): Promise<Answer> =>
      client.post(`/v2/organizations/${book.org}/ledgers/${book.ledger}/estimates`, {
        ...{ packageId, transaction: body },
      });

    it('charges the package that is named, even a disabled one', async () => {
      const { id } = await priced({ a: fee() }, { enable: false, transactionRoute: 'other' });
      for (const ask of [estimate, inPath, v2]) {
        const { message, feesApplied } = (await ask(id, transaction('100'))).json() as Estimated;
        expect(message).to.equal('Fees estimated');
        expect(feesApplied)
          .to.include({ ledgerId: book.ledger })
          .and.to.not.have.property('segmentId');
        expect(feesApplied?.transaction.metadata).to.deep.equal({ packageAppliedID: id });
        expect(sidesOf(feesApplied!)).to.deep.equal({
          value: '102',
          from: ['@payer 100', '@payer 2'],
          to: ['@shop 100', '@fees 2 <- @payer'],
        });
        const [leg] = feesApplied!.transaction.send.source.from;
        const unset = { chartOfAccounts: '', metadata: null };
        if (ask === v2) expect(leg).to.not.have.any.keys(unset);
        else expect(leg).to.include(unset);
      }
    });

    it('rounds in the header form only', async () => {
      const { id } = await priced({ a: fee({ calculationModel: flat('10') }) });
      const from = ['@a', '@b', '@c'].map((alias) => amount(alias, '100'));
      const paid = async (ask: typeof estimate) => {
        const sent = transaction('300', {}, { source: { from } });
        const { feesApplied } = (await ask(id, sent)).json() as Estimated;
        return [...sidesOf(feesApplied!).from.slice(3), feesApplied?.explain[0]?.['rounding']];
      };
      expect(await paid(estimate)).to.deep.equal([
        ...['@a 3.34', '@b 3.33', '@c 3.33', 'halfAwayFromZero:2'],
      ]);
      for (const ask of [inPath, v2]) {
        expect(await paid(ask)).to.deep.equal([
          ...['@a 3.3333333333333334', '@b 3.3333333333333333', '@c 3.3333333333333333', 'none'],
        ]);
      }
    });

    it('leaves an amount outside the range as it is', async () => {
      const { id } = await priced({ a: fee() }, { minimumAmount: '100' });
      const { message, feesApplied } = (await estimate(id, transaction('99'))).json() as Estimated;
      expect(message).to.equal('Fees estimated');
      expect(feesApplied?.explain).to.deep.equal([]);
      expect(feesApplied?.transaction).to.not.have.property('metadata');
      expect(sidesOf(feesApplied!)).to.deep.equal({
        value: '99',
        from: ['@payer 99'],
        to: ['@shop 99'],
      });
    });

    it('says that there is nothing to charge, or why', async () => {
      const { id } = await priced({ a: fee({ calculationModel: flat('0') }) });
      expect((await estimate(id, transaction('100'))).json()).to.deep.equal({
        message: 'no matching fee rules found',
        feesApplied: null,
      });
      const waived = await priced(
        { a: fee() },
        { waivedAccounts: ['@payer'], transactionRoute: 'w' },
      );
      const { feesApplied } = (await v2(waived.id, transaction('100'))).json() as Estimated;
      expect(feesApplied?.transaction.metadata).to.have.property('feeExemption');
    });

    it('knows only packages of its ledger, and takes no fee keys in version 2', async () => {
      const { id } = await priced({ a: fee() });
      expectProblem(await estimate(NOBODY, transaction('100')), 404, 'FEE-0012');
      const charged = transaction('100', { metadata: { feeApplied: 'true' } });
      expectProblem(await v2(id, charged), 400, 'FEE-0003');
      expect((await estimate(id, charged)).status).to.equal(200);
      const uneven = transaction('100', {}, { source: { from: [amount('@payer', '99')] } });
      expectProblem(await estimate(id, uneven), 400, 'FEE-0037');
      expectProblem(await v2(id, uneven), 422, 'FEE-0037');
      expectProblem(await inPath(id, uneven), 422, 'FEE-0037');
    });
  });
});
