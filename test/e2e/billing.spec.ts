import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createLedger,
  got,
  made,
  NOBODY,
  openBook,
  standing,
  transfer,
  UUID_V7,
  type Book,
  type List,
  type Segment,
} from './books.ts';
import {
  createBillingPackage,
  maintenanceOf,
  postedAt,
  volumeOf,
  type BillingBody,
  type BillingPackageBody,
} from './billing-books.ts';
import { inOrganization } from './fee-books.ts';
import { expectProblem } from './problems.ts';

type BillingList = List<BillingPackageBody> & Readonly<{ total: number }>;

describe('billing', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  beforeEach(async () => {
    book = await openBook(client, {
      accounts: ['@bob', '@client', '@billing'],
      funds: { '@alice': '1000' },
    });
  });

  const v2 = () => `/v2/organizations/${book.org}/ledgers/${book.ledger}`;
  const inPath = () => `/v1/organizations/${book.org}`;
  const header = () => inOrganization(book.org);
  const journal = async () =>
    (await eventsOf(server(), `fees-${book.org}`)).map(({ type }) => type);
  const create = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    client.post(`${v2()}/billing-packages`, body, headers);
  const created = async (body: object): Promise<BillingPackageBody> => {
    const answer = await create(body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json() as BillingPackageBody;
  };
  const patched = async (id: string, body: object): Promise<BillingPackageBody> => {
    const answer = await client.patch(`${v2()}/billing-packages/${id}`, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as BillingPackageBody;
  };
  const refused = async (sent: Promise<Answer>, status: number, code: string) => {
    const answer = await sent;
    expect(answer.status, answer.text).to.equal(status);
    expect((answer.json() as { code: string }).code).to.equal(code);
  };
  const calculate = (body: object): Promise<Answer> =>
    client.post(`${v2()}/billing/calculate`, body);
  const calculated = async (period: string, more: object = {}): Promise<BillingBody> => {
    const answer = await calculate({ period, ...more });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as BillingBody;
  };
  const counted = async (period: string): Promise<unknown> =>
    (await calculated(period)).results.map(
      ({ transactionPayload }) => transactionPayload.metadata?.['totalEvents'] ?? 0,
    );

  describe('packages', () => {
    it('are created, retrieved, listed, changed and deleted', async () => {
      const one = await created(
        volumeOf({
          description: 'By count',
          freeQuota: 100,
          discountTiers: [
            { minQuantity: 5000, discountPercentage: 10 },
            { minQuantity: 1000, discountPercentage: '5.0' },
          ],
        }),
      );
      const { id, createdAt, updatedAt, ...members } = one;
      expect(id).to.match(UUID_V7);
      expect(updatedAt).to.equal(createdAt);
      expect(members).to.deep.equal({
        organizationId: book.org,
        ledgerId: book.ledger,
        label: 'Pix volume',
        description: 'By count',
        type: 'volume',
        enable: true,
        eventFilter: { transactionRoute: 'pix', status: 'APPROVED' },
        pricingModel: 'tiered',
        tiers: [
          { minQuantity: 0, maxQuantity: 1000, unitPrice: '0.1' },
          { minQuantity: 1001, unitPrice: '0.08' },
        ],
        freeQuota: 100,
        discountTiers: [
          { minQuantity: 1000, discountPercentage: '5' },
          { minQuantity: 5000, discountPercentage: '10' },
        ],
        countMode: 'perRoute',
        assetCode: 'BRL',
        debitAccountAlias: '@client',
        creditAccountAlias: '@billing',
      });
      const at = `${v2()}/billing-packages`;
      expect(await got(client, `${at}/${id}`)).to.deep.equal(one);
      const other = await created(maintenanceOf({ aliases: ['@alice', '\v'] }));
      expect(other).to.include({ type: 'maintenance', feeAmount: '12.5' });
      expect(other).to.not.have.any.keys('countMode', 'description', 'deletedAt', 'tiers');
      const listed = await got<BillingList>(client, at);
      expect(listed).to.deep.equal({ items: [one, other], limit: 10, page: 1, total: 2 });
      const volumes = await got<BillingList>(client, `${at}?type=volume&limit=1`);
      expect(volumes).to.deep.equal({ items: [one], limit: 1, page: 1, total: 1 });

      const { description: _, ...rest } = one;
      const changes = { label: 'Pix', description: null, enable: false };
      const changed = await patched(id, changes);
      expect(changed).to.deep.equal({
        ...rest,
        ...{ label: 'Pix', enable: false, updatedAt: changed.updatedAt },
      });
      expect(await patched(id, { label: '', enable: false })).to.deep.equal(changed);
      expect((await client.delete(`${at}/${id}`)).status).to.equal(204);
      expectProblem(await client.get(`${at}/${id}`), 404, 'FEE-0052', {
        entityType: 'BillingPackage',
      });
      expect((await got<BillingList>(client, at)).items).to.deep.equal([other]);
      expect(await journal()).to.deep.equal([
        ...['BillingPackageCreated', 'BillingPackageCreated'],
        ...['BillingPackageUpdated', 'BillingPackageDeleted'],
      ]);
    });

    it('are the same in all forms', async () => {
      const one = await createBillingPackage(client, book, volumeOf());
      const paths = [`${inPath()}/billing-packages`, `${v2()}/billing-packages`];
      for (const path of paths) {
        expect(await got(client, `${path}/${one.id}`)).to.deep.equal(one);
      }
      const two = await made<BillingPackageBody>(client, paths[0]!, {
        ledgerId: book.ledger,
        ...maintenanceOf({ portfolioId: NOBODY.toUpperCase() }),
      });
      expect(two).to.deep.include({ accountTarget: { portfolioId: NOBODY } });
      const { id: otherLedger } = await createLedger(client, book.org);
      const lists = ['/v1/billing-packages', paths[0]!].flatMap((path) => [
        [path, 2] as const,
        [`${path}?ledgerId=${otherLedger}`, 0] as const,
        [`${path}?ledgerId=${book.ledger}&type=maintenance`, 1] as const,
      ]);
      for (const [path, total] of lists) {
        const headers = path.startsWith('/v1/b') ? header() : {};
        expect((await got<BillingList>(client, path, headers)).total, path).to.equal(total);
      }
      const elsewhere = `/v2/organizations/${book.org}/ledgers/${otherLedger}/billing-packages`;
      expect((await got<BillingList>(client, elsewhere)).total).to.equal(0);
      await refused(client.get(`${elsewhere}/${one.id}`), 404, 'FEE-0052');
      await refused(client.patch(`${elsewhere}/${one.id}`, { enable: false }), 404, 'FEE-0052');
      await refused(client.delete(`${elsewhere}/${one.id}`), 404, 'FEE-0052');
      await refused(client.get('/v1/billing-packages'), 400, 'FEE-0020');
    });

    it('bill a route once, until they are disabled or deleted', async () => {
      const first = await created(volumeOf());
      await refused(create(volumeOf({ label: 'Again' })), 409, 'FEE-0058');
      await created(volumeOf({ eventFilter: { transactionRoute: 'ted', status: 'APPROVED' } }));
      await created(maintenanceOf({ aliases: ['@alice'] }));
      const second = await created(volumeOf({ enable: false }));
      const at = `${v2()}/billing-packages`;
      await refused(client.patch(`${at}/${second.id}`, { enable: true }), 409, 'FEE-0058');
      await patched(first.id, { enable: false });
      await patched(second.id, { enable: true });
      await refused(client.patch(`${at}/${first.id}`, { enable: true }), 409, 'FEE-0058');
      expect((await client.delete(`${at}/${second.id}`)).status).to.equal(204);
      await patched(first.id, { enable: true });
      await patched(first.id, { enable: true });
      const { id: otherLedger } = await createLedger(client, book.org);
      await createBillingPackage(client, { ...book, ledger: otherLedger }, volumeOf());
    });

    it('are created by one of many writers of a route', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => create(volumeOf({ label: `Writer ${n}` }))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([201, ...Array<number>(7).fill(409)]);
    });

    it('are created once for an idempotency key', async () => {
      const headers = { 'X-Idempotency': 'once' };
      const [first, second] = [
        await create(volumeOf(), headers),
        await create(volumeOf(), headers),
      ];
      expect([first.status, second.status], second.text).to.deep.equal([201, 201]);
      expect(second.text).to.equal(first.text);
      expect(first.headers['x-idempotency-replayed']).to.equal('false');
      expect(second.headers['x-idempotency-replayed']).to.equal('true');
      expect(await journal()).to.have.length(1);
      await refused(create(maintenanceOf({ aliases: ['@a'] }), headers), 409, 'LDG-0084');
    });

    for (const [what, code, body] of [
      ['a member of the other type', 'FEE-0001', volumeOf({ feeAmount: '1' })],
      ['a volume member', 'FEE-0001', maintenanceOf({ aliases: ['@a'] }, { freeQuota: 1 })],
      ['a body that names the ledger', 'FEE-0001', volumeOf({ ledgerId: NOBODY })],
      ['no label', 'FEE-0002', volumeOf({ label: undefined })],
      ['a blank label', 'FEE-0003', volumeOf({ label: ' ' })],
      ['no asset', 'FEE-0002', volumeOf({ assetCode: undefined })],
      ['no type', 'FEE-0002', volumeOf({ type: undefined })],
      ['an unknown type', 'FEE-0053', volumeOf({ type: 'yearly' })],
      [
        'an unknown status',
        'FEE-0003',
        volumeOf({ eventFilter: { transactionRoute: 'p', status: 'X' } }),
      ],
      ['no tiers', 'FEE-0054', volumeOf({ tiers: undefined })],
      ['no filter', 'FEE-0054', volumeOf({ eventFilter: null })],
      ['no account', 'FEE-0054', volumeOf({ debitAccountAlias: undefined })],
      ['no amount', 'FEE-0055', maintenanceOf({ aliases: ['@a'] }, { feeAmount: undefined })],
      ['an unknown model', 'FEE-0056', volumeOf({ pricingModel: 'graduated' })],
      ['a negative quota', 'FEE-0064', volumeOf({ freeQuota: -1 })],
      ['a quota of another type', 'FEE-0064', volumeOf({ freeQuota: '1' })],
      ['an unknown mode', 'FEE-0067', volumeOf({ countMode: 'perDay' })],
      ['an amount of zero', 'FEE-0070', maintenanceOf({ aliases: ['@a'] }, { feeAmount: '0' })],
      ['a negative amount', 'FEE-0070', maintenanceOf({ aliases: ['@a'] }, { feeAmount: '-1' })],
      ['a comma', 'FEE-0042', maintenanceOf({ aliases: ['@a'] }, { feeAmount: '1,5' })],
      ['no target', 'FEE-0069', maintenanceOf({})],
      ['two targets', 'FEE-0069', maintenanceOf({ aliases: ['@a'], segmentId: NOBODY })],
      ['a target that is no UUID', 'FEE-0069', maintenanceOf({ segmentId: 'x' })],
      ['no aliases', 'FEE-0069', maintenanceOf({ aliases: [] })],
      ['an alias twice', 'FEE-0069', maintenanceOf({ aliases: ['@a', '@a'] })],
      [
        '101 aliases',
        'FEE-0069',
        maintenanceOf({ aliases: Array.from({ length: 101 }, (_, n) => `@${n}`) }),
      ],
    ] as const) {
      it(`are refused for ${what}`, async () => {
        await refused(create(body), 400, code);
        expect(await journal()).to.deep.equal([]);
      });
    }

    const price = { unitPrice: '1' };
    for (const [what, tiers] of [
      ['none', []],
      ['an object', {}],
      ['numbers', [1]],
      [
        'a gap',
        [
          { minQuantity: 0, maxQuantity: 9, ...price },
          { minQuantity: 11, ...price },
        ],
      ],
      [
        'an overlap',
        [
          { minQuantity: 0, maxQuantity: 9, ...price },
          { minQuantity: 9, ...price },
        ],
      ],
      ['a last maximum', [{ minQuantity: 0, maxQuantity: 9, ...price }]],
      [
        'an inner one without',
        [
          { minQuantity: 0, ...price },
          { minQuantity: 1, ...price },
        ],
      ],
      [
        'a maximum below',
        [
          { minQuantity: 5, maxQuantity: 4, ...price },
          { minQuantity: 5, ...price },
        ],
      ],
      ['a price of zero', [{ minQuantity: 0, unitPrice: '0.0' }]],
      ['a negative price', [{ minQuantity: 0, unitPrice: '-1' }]],
      ['no price', [{ minQuantity: 0 }]],
      ['a negative minimum', [{ minQuantity: -1, ...price }]],
      ['a fraction', [{ minQuantity: 0.5, ...price }]],
      [
        '51',
        Array.from({ length: 51 }, (_, n) => ({
          minQuantity: n,
          ...(n < 50 && { maxQuantity: n }),
          ...price,
        })),
      ],
    ] as const) {
      it(`are refused for tiers with ${what}`, () =>
        refused(create(volumeOf({ tiers })), 400, 'FEE-0057'));
    }

    for (const [what, discountTiers] of [
      ['none', []],
      ['101 percent', [{ minQuantity: 0, discountPercentage: '101' }]],
      ['a negative one', [{ minQuantity: 0, discountPercentage: '-1' }]],
      ['no percentage', [{ minQuantity: 0 }]],
      [
        'two of a quantity',
        [
          { minQuantity: 0, discountPercentage: '1' },
          { minQuantity: 0, discountPercentage: '2' },
        ],
      ],
    ] as const) {
      it(`are refused for discounts with ${what}`, () =>
        refused(create(volumeOf({ discountTiers })), 400, 'FEE-0065'));
    }

    it('change by label, description and enable alone', async () => {
      const { id, updatedAt } = await created(volumeOf());
      const at = `${v2()}/billing-packages/${id}`;
      const unchanged = await client.patch(at, {});
      expect(unchanged.status, unchanged.text).to.equal(200);
      expect(unchanged.json()).to.include({ id, updatedAt });
      await refused(client.patch(at, { type: 'maintenance' }), 400, 'FEE-0001');
      await refused(client.patch(at, { tiers: [] }), 400, 'FEE-0001');
      await refused(client.patch(at, { label: null }), 400, 'FEE-0002');
      await refused(client.patch(at, { enable: null }), 400, 'FEE-0002');
    });
  });

  describe('of a volume', () => {
    it('counts the transactions of the period, with its status and route, to the microsecond', async () => {
      await created(volumeOf());
      await postedAt(client, book, '2026-01-31T23:59:59.999999Z');
      await postedAt(client, book, '2026-02-01T00:00:00Z');
      await postedAt(client, book, '2026-02-28T23:59:59.999Z');
      await postedAt(client, book, '2026-03-01T00:00:00Z');
      await postedAt(client, book, '2026-02-10T00:00:00Z', { route: 'ted' });
      await postedAt(client, book, '2026-02-10T00:00:00Z', { route: undefined });
      expect(await counted('2026-02')).to.deep.equal([2]);
      expect(await counted('2026-01')).to.deep.equal([1]);
      expect(await counted('2026-02-28')).to.deep.equal([1]);
      expect(await counted('2026-02-27')).to.deep.equal([0]);
      expect(await counted('2026-W05')).to.deep.equal([2]); // January 26 to February 1.
      expect(await counted('2026-W06')).to.deep.equal([0]);
    });

    it('counts holds until they are settled, and routes by their id', async () => {
      const route = '0190a1c0-0000-7000-8000-0000000000f1';
      const filter = (status: string) => ({ eventFilter: { transactionRoute: route, status } });
      const more = { route: undefined, routeId: route, pending: true };
      const { id, createdAt } = await postedAt(client, book, undefined, more);
      const month = createdAt.slice(0, 7);
      const { id: pending } = await created(volumeOf(filter('PENDING')));
      expect(await counted(month)).to.deep.equal([1]);
      const commit = await client.post(`${book.at}/transactions/${id}/commit`, {});
      expect(commit.status, commit.text).to.equal(201);
      expect(await counted(month)).to.deep.equal([0]);
      expect((await client.delete(`${v2()}/billing-packages/${pending}`)).status).to.equal(204);
      await created(volumeOf(filter('CREATED')));
      expect(await counted(month)).to.deep.equal([1]);
    });

    it('answers the payload of the contract, which clients post as it is', async () => {
      for (let n = 0; n < 3; n += 1) await postedAt(client, book, `2026-01-0${n + 1}`);
      const { id } = await created(
        volumeOf({
          freeQuota: 1,
          discountTiers: [{ minQuantity: 3, discountPercentage: '5' }],
        }),
      );
      const { results, summary } = await calculated('2026-01');
      expect(summary).to.deep.equal({
        ...{ totalResults: 1, totalVolume: 1, totalMaintenance: 0, totalNetAmount: '0.19' },
      });
      const amount = { asset: 'BRL', value: '0.19' };
      expect(results).to.deep.equal([
        {
          ...{ billingPackageId: id, billingPackageLabel: 'Pix volume', billingType: 'volume' },
          ...{ period: '2026-01', totalAccounts: 0, totalCharged: 0, totalSkipped: 0 },
          totalNetAmount: '0.19',
          transactionPayload: {
            code: 'billing-volume',
            description: 'Billing - Pix volume - 2026-01',
            metadata: {
              ...{ billingType: 'volume', billingPackageId: id, label: 'Pix volume' },
              ...{ period: '2026-01', totalEvents: 3, freeQuotaUsed: 1, billableEvents: 2 },
              ...{
                pricingModel: 'tiered',
                unitPrice: '0.1',
                grossAmount: '0.2',
                netAmount: '0.19',
              },
              discount: { discountPercentage: '5', discountAmount: '0.01', minQuantity: 3 },
            },
            send: {
              ...amount,
              source: { from: [{ accountAlias: '@client', amount }] },
              distribute: { to: [{ accountAlias: '@billing', amount }] },
            },
          },
        },
      ]);
      const transactions = [book.at, v2()].map((at) => `${at}/transactions/json`);
      await made(client, transactions[0]!, transfer('@alice', '@client', '1'));
      for (const path of transactions) {
        const sent = results[0]!.transactionPayload;
        const charge = await made<{ metadata: object }>(client, path, sent);
        expect(charge.metadata).to.deep.equal(sent.metadata);
      }
      expect(await standing(client, book.at, '@billing')).to.match(/^0\.38\/0 /);
    });

    it('charges the transactions of each source account on request', async () => {
      await createAccount(client, book.at, { alias: '@carol' });
      await postedAt(client, book, '2026-01-01', {}, ['@alice', '@carol']);
      for (const day of ['2026-01-02', '2026-01-02', '2026-01-31', '2026-02-01']) {
        await postedAt(client, book, day);
      }
      await postedAt(client, book, '2026-01-31', {}, ['@carol', '@bob']);
      await created(volumeOf({ countMode: 'perAccount', freeQuota: 1, pricingModel: 'fixed' }));
      const { results, summary } = await calculated('2026-01');
      const shown = results.map(({ totalNetAmount, transactionPayload: { metadata } }) => [
        ...[metadata?.['accountAlias'], metadata?.['totalEvents'], totalNetAmount],
      ]);
      expect(shown).to.deep.equal([
        ['@alice', 4, '0.3'],
        [undefined, undefined, '0'], // All of @carol's are free.
      ]);
      expect(summary).to.include({ totalResults: 2, totalVolume: 2, totalNetAmount: '0.3' });
    });

    it('answers nothing to pay without a payload', async () => {
      expect(await calculated('2026-01')).to.deep.equal({
        results: [],
        summary: { totalResults: 0, totalVolume: 0, totalMaintenance: 0, totalNetAmount: '0' },
      });
      await created(volumeOf());
      const { results } = await calculated('2026-01');
      expect(results[0]).to.deep.include({ totalNetAmount: '0', transactionPayload: {} });
    });
  });

  describe('of maintenance', () => {
    const froms = ({ results }: BillingBody): readonly string[] =>
      results.flatMap(({ transactionPayload: { send } }) =>
        (send?.source.from ?? []).map(({ accountAlias }) => accountAlias),
      );

    it('charges the accounts of a segment, of a portfolio or of a list', async () => {
      const segment = await made<Segment>(client, `${book.at}/segments`, { name: 'VIP' });
      const portfolio = await made<Segment>(client, `${book.at}/portfolios`, { name: 'P' });
      const groups = { segmentId: segment.id, portfolioId: portfolio.id };
      const target = { segmentId: segment.id };
      const { id } = await created(maintenanceOf(target));
      expect(await calculated('2026-01')).to.deep.nested.include({
        'results[0].totalAccounts': 0,
        'results[0].transactionPayload': {},
      });
      await createAccount(client, book.at, { alias: '@one', ...groups });
      await createAccount(client, book.at, { alias: '@two', ...target });
      const found = await calculated('2026-01');
      const amount = (value: string) => ({ asset: 'BRL', value });
      expect(found).to.deep.equal({
        results: [
          {
            ...{ billingPackageId: id, billingPackageLabel: 'Upkeep', billingType: 'maintenance' },
            ...{ period: '2026-01', totalAccounts: 2, totalCharged: 2, totalSkipped: 0 },
            totalNetAmount: '25',
            transactionPayload: {
              code: 'billing-maintenance',
              description: 'Billing - Upkeep - 2026-01',
              metadata: {
                ...{ billingType: 'maintenance', billingPackageId: id, label: 'Upkeep' },
                ...{ period: '2026-01', totalAccounts: 2, feeAmount: '12.5' },
              },
              send: {
                ...amount('25'),
                source: {
                  from: ['@one', '@two'].map((accountAlias) => ({
                    accountAlias,
                    amount: amount('12.5'),
                  })),
                },
                distribute: { to: [{ accountAlias: '@billing', amount: amount('25') }] },
              },
            },
          },
        ],
        summary: { totalResults: 1, totalVolume: 0, totalMaintenance: 1, totalNetAmount: '25' },
      });
      await patched(id, { enable: false });
      const other = await created(maintenanceOf({ portfolioId: portfolio.id }));
      expect(froms(await calculated('2026-01'))).to.deep.equal(['@one']);
      await patched(other.id, { enable: false });
      await created(maintenanceOf({ aliases: ['@bob', '@alice'] }));
      expect(froms(await calculated('2026-01'))).to.deep.equal(['@bob', '@alice']);
      expect(froms(await calculated('2026-01', { type: 'volume' }))).to.deep.equal([]);
    });

    it('fails as a whole if an account or the segment of one package is not there', async () => {
      await created(volumeOf());
      const { id } = await created(maintenanceOf({ aliases: ['@alice', '@nobody'] }));
      await refused(calculate({ period: '2026-01' }), 404, 'FEE-0059');
      expect((await calculated('2026-01', { type: 'volume' })).results).to.have.length(1);
      await patched(id, { enable: false });
      await created(maintenanceOf({ segmentId: NOBODY }));
      const body = { period: '2026-01', ledgerId: book.ledger };
      await refused(calculate({ period: '2026-01' }), 500, 'FEE-0062');
      await refused(client.post(`${inPath()}/billing/calculate`, body), 500, 'FEE-0062');
      await refused(client.post('/v1/billing/calculate', body, header()), 422, 'FEE-0062');
    });

    it('fails when a figure has too many digits', async () => {
      await created(maintenanceOf({ aliases: ['@alice', '@bob'] }, { feeAmount: '9'.repeat(30) }));
      const body = { period: '2026-01', ledgerId: book.ledger };
      await refused(calculate({ period: '2026-01' }), 500, 'FEE-0060');
      await refused(client.post('/v1/billing/calculate', body, header()), 422, 'FEE-0060');
    });
  });

  for (const period of ['2026-W54', '2025-W53', '2026-W00', '2026-02-30', '2026-13', '2026', 'x']) {
    it(`has no period ${period}`, () => refused(calculate({ period }), 400, 'FEE-0063'));
  }

  it('calculates the same in all forms, and stores nothing', async () => {
    await postedAt(client, book, '2026-01-05');
    await created(volumeOf());
    const before = await journal();
    const body = { period: '2026-01', ledgerId: book.ledger };
    const answers = await Promise.all([
      calculate({ period: '2026-01' }),
      client.post(`${inPath()}/billing/calculate`, body),
      client.post('/v1/billing/calculate', body, header()),
    ]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(answers[0].status).to.equal(200);
    expect(await journal()).to.deep.equal(before);
    const unknown = { ...body, ledgerId: NOBODY };
    expect((await client.post('/v1/billing/calculate', unknown, header())).status).to.equal(404);
    await refused(calculate({ period: '2026-01', type: 'x' }), 400, 'FEE-0053');
  });
});
