import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import {
  got,
  made,
  NOBODY,
  openBook,
  UUID_V7,
  type Book,
  type List,
  type Segment,
} from './books.ts';
import {
  createPackage,
  fee,
  flat,
  inOrganization,
  openFeeBook,
  packageOf,
  percent,
  R1,
  R2,
  type FeePackageBody,
} from './fee-books.ts';
import { expectProblem } from './problems.ts';

type PackageList = List<FeePackageBody> & Readonly<{ total: number }>;

const model = (more: object) => fee({ calculationModel: { ...percent('1'), ...more } });
const calculations = (...all: readonly unknown[]) => model({ calculations: all });
const deducted = (calculationModel: object) => fee({ isDeductibleFrom: true, calculationModel });

describe('fee packages', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  beforeEach(async () => {
    book = await openFeeBook(client);
  });

  const headers = () => inOrganization(book.org);
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    client.send({
      method,
      path: `/v1/packages${path}`,
      headers: { ...headers(), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const post = (more: object = {}) => send('POST', '', packageOf(book.ledger, more));
  const patch = (id: string, body: object) => send('PATCH', `/${id}`, body);
  const patched = async (id: string, body: object): Promise<FeePackageBody> => {
    const answer = await patch(id, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as FeePackageBody;
  };
  const journal = () => eventsOf(server(), `fees-${book.org}`);
  const v2 = () => `/v2/organizations/${book.org}/ledgers/${book.ledger}/packages`;

  it('are created, retrieved, listed, changed and deleted', async () => {
    const segment = await made<Segment>(client, `${book.at}/segments`, { name: 'VIP' });
    const max = {
      applicationRule: 'maxBetweenTypes',
      calculations: [
        { type: 'flat', value: 5 },
        { type: 'percentage', value: '2.50' },
      ],
    };
    const answer = await post({
      description: null,
      segmentId: segment.id,
      transactionRoute: 'pix',
      minimumAmount: '100.00',
      maximumAmount: '1e3',
      waivedAccounts: ['@vip', `segment:${NOBODY.toUpperCase()}`],
      fees: { 'Adm in': fee({ calculationModel: max, routeFrom: R1, routeTo: R2.toUpperCase() }) },
    });
    expect(answer.status, answer.text).to.equal(201);
    const created = answer.json() as FeePackageBody;
    const { id, createdAt, updatedAt, ...members } = created;
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(members).to.deep.equal({
      feeGroupLabel: 'Pix',
      description: null,
      ledgerId: book.ledger,
      segmentId: segment.id,
      transactionRoute: 'pix',
      minimumAmount: '100',
      maximumAmount: '1000',
      waivedAccounts: ['@vip', `segment:${NOBODY}`],
      enable: true,
      fees: {
        'Adm in': {
          ...fee(),
          calculationModel: {
            applicationRule: 'maxBetweenTypes',
            calculations: [
              { type: 'flat', value: '5' },
              { type: 'percentage', value: '2.5' },
            ],
          },
          routeFrom: R1,
          routeTo: R2,
        },
      },
      deletedAt: null,
    });
    expect((await send('GET', `/${id}`)).json()).to.deep.equal(created);
    expect((await send('GET', '')).json()).to.deep.equal({
      items: [created],
      limit: 10,
      page: 1,
      total: 1,
    });
    const changed = await patched(id, { enable: false, feeGroupLabel: 'Pix out' });
    expect(changed).to.deep.equal({
      ...created,
      enable: false,
      feeGroupLabel: 'Pix out',
      updatedAt: changed.updatedAt,
    });
    expect((await send('DELETE', `/${id}`)).status).to.equal(204);
    expectProblem(await send('GET', `/${id}`), 404, 'FEE-0012', { entityType: 'FeePackage' });
    expectProblem(await send('DELETE', `/${id}`), 404, 'FEE-0012');
    expect((await journal()).map(({ type }) => type)).to.deep.equal([
      ...['FeePackageCreated', 'FeePackageUpdated', 'FeePackageDeleted'],
    ]);
  });

  it('read a number as it is written, not as a binary float', async () => {
    const text = '0.1234567890123456789012345678';
    const body = JSON.stringify(packageOf(book.ledger)).replace('"2"', text);
    const answer = await client.post('/v1/packages', body, headers());
    expect(answer.text).to.contain(`"value":"${text}"`);
  });

  it('are the same in all forms; version 2 has a ledger in the path', async () => {
    const { id, ...one } = await createPackage(client, book);
    const inPath = `/v1/organizations/${book.org}/packages`;
    for (const at of [inPath, v2()]) {
      expect(await got(client, `${at}/${id}`)).to.deep.equal({ id, ...one });
      expect((await got<PackageList>(client, at)).total).to.equal(1);
    }
    const { ledgerId: _, ...body } = packageOf(book.ledger, { transactionRoute: 'v2' });
    const selector = { metadataSelector: { kind: 'gold' } };
    const second = await made<object>(client, v2(), { ...body, ...selector });
    expect(second).to.include({ ledgerId: book.ledger }).and.to.deep.include(selector);
    const third = { ...body, ...selector, ledgerId: book.ledger, transactionRoute: 'third' };
    await made(client, inPath, third);
    expectProblem(await client.post(v2(), third), 400, 'FEE-0001', { locations: ['ledgerId'] });
    expectProblem(await post(selector), 400, 'FEE-0001', { locations: ['metadataSelector'] });
    expectProblem(await client.get(`${v2()}?ledgerId=${book.ledger}`), 400, 'FEE-0074');
  });

  it('of another ledger are absent in version 2', async () => {
    const { id } = await createPackage(client, book);
    const other = await openBook(client);
    const elsewhere = `/v2/organizations/${other.org}/ledgers/${other.ledger}/packages/${id}`;
    expectProblem(await client.get(elsewhere), 404, 'FEE-0012');
    expectProblem(await client.patch(elsewhere, { enable: false }), 404, 'FEE-0012');
    expectProblem(await client.delete(elsewhere), 404, 'FEE-0012');
    const nil = v2().replace(book.ledger, '00000000-0000-0000-0000-000000000000');
    expectProblem(await client.get(nil), 400, 'FEE-0016');
    expectProblem(await client.get(v2().replace(book.ledger, NOBODY)), 404, 'LDG-0037');
    expectProblem(await client.get(v2().replace(book.org, NOBODY)), 404, 'LDG-0038');
  });

  it('need the header of the organization in version 1', async () => {
    expectProblem(await client.get('/v1/packages'), 400, 'FEE-0020');
    expectProblem(
      await client.get('/v1/packages', { 'X-Organization-Id': 'nobody' }),
      400,
      'FEE-0019',
    );
  });

  it('refer to a segment and to accounts of their ledger', async () => {
    expectProblem(await post({ segmentId: NOBODY }), 404, 'FEE-0012', { entityType: 'Segment' });
    const fees = { adm: fee({ creditAccount: '@nobody' }) };
    const absent = expectProblem(await post({ fees }), 400, 'FEE-0014', {
      locations: ['fees.adm.creditAccount'],
    });
    expect(absent.legacyCode).to.equal('0181');
    expectProblem(await post({ ledgerId: NOBODY }), 400, 'FEE-0014');
    const { ledgerId: _, ...body } = packageOf(book.ledger, { fees });
    expect(expectProblem(await client.post(v2(), body), 404, 'FEE-0014').legacyCode).to.equal(
      '0085',
    );
  });

  const wrong: readonly (readonly [why: string, body: object, code: string, status?: number])[] = [
    ['no fee', { fees: {} }, 'FEE-0003'],
    ['a blank label', { feeGroupLabel: ' ' }, 'FEE-0003'],
    ['no label', { feeGroupLabel: '' }, 'FEE-0002'],
    ['a chart of accounts', { chartOfAccount: '1' }, 'FEE-0001'],
    ['an amount as a number', { minimumAmount: 100 }, 'FEE-0041'],
    ['an amount with a comma', { minimumAmount: '100,5' }, 'FEE-0042'],
    ['a negative amount', { minimumAmount: '-1' }, 'FEE-0003'],
    ['bounds the wrong way round', { minimumAmount: '1001' }, 'FEE-0015'],
    ['a malformed ledger', { ledgerId: 'x' }, 'FEE-0040'],
    ['a malformed segment', { segmentId: 'x' }, 'FEE-0039'],
    ['a malformed waived segment', { waivedAccounts: ['segment:x'] }, 'FEE-0039'],
    ['fees that are none', { fees: [] }, 'FEE-0041'],
    ['a fee without members', { fees: { a: {} } }, 'FEE-0002'],
    ['a priority of 0', { fees: { a: fee({ priority: 0 }) } }, 'FEE-0013'],
    ['one priority twice', { fees: { a: fee(), b: fee() } }, 'FEE-0013'],
    [
      'a first fee on the amount after fees',
      { fees: { a: fee({ referenceAmount: 'afterFeesAmount' }) } },
      'FEE-0024',
    ],
    ['an unknown reference', { fees: { a: fee({ referenceAmount: 'x' }) } }, 'FEE-0030'],
    ['an unknown rule', { fees: { a: model({ applicationRule: 'x' }) } }, 'FEE-0031'],
    ['no calculation', { fees: { a: model({ calculations: [] }) } }, 'FEE-0023'],
    ['a calculation without a value', { fees: { a: calculations({ type: 'flat' }) } }, 'FEE-0029'],
    ['a calculation of a wrong type', { fees: { a: calculations(7) } }, 'FEE-0005'],
    [
      'an unknown calculation',
      { fees: { a: calculations({ type: 'x', value: '1' }) } },
      'FEE-0032',
    ],
    [
      'a negative percentage',
      { fees: { a: calculations({ type: 'percentage', value: '-1' }) } },
      'FEE-0046',
    ],
    [
      'a negative flat value',
      { fees: { a: calculations({ type: 'flat', value: -1 }) } },
      'FEE-0047',
    ],
    [
      'a value with a comma',
      { fees: { a: calculations({ type: 'flat', value: '1,5' }) } },
      'FEE-0042',
    ],
    [
      'two calculations of a percentage',
      {
        fees: {
          a: calculations({ type: 'percentage', value: '1' }, { type: 'percentage', value: '2' }),
        },
      },
      'FEE-0025',
    ],
    [
      'a flat calculation of a percentage',
      { fees: { a: calculations({ type: 'flat', value: '1' }) } },
      'FEE-0026',
    ],
    [
      'a percentage as a flat fee',
      { fees: { a: fee({ calculationModel: { ...percent('1'), applicationRule: 'flatFee' } }) } },
      'FEE-0027',
    ],
    [
      'one calculation to choose from',
      {
        fees: {
          a: fee({ calculationModel: { ...flat('1'), applicationRule: 'maxBetweenTypes' } }),
        },
      },
      'FEE-0038',
    ],
    [
      'a deduction from the amount after fees',
      {
        fees: {
          a: fee(),
          b: fee({ priority: 2, isDeductibleFrom: true, referenceAmount: 'afterFeesAmount' }),
        },
      },
      'FEE-0043',
    ],
    ['a deduction of more than all', { fees: { a: deducted(percent('100.1')) } }, 'FEE-0049'],
    ['a deduction above the minimum', { fees: { a: deducted(flat('100.01')) } }, 'FEE-0050'],
  ];
  for (const [why, body, code] of wrong) {
    it(`are refused for ${why}`, async () => {
      expectProblem(await post(body), 400, code);
      expect(await journal()).to.deep.equal([]);
    });
  }

  it('have the statuses of version 2 there', async () => {
    const { ledgerId: _, ...body } = packageOf(book.ledger);
    const said = async (more: object): Promise<string> => {
      const answer = await client.post(v2(), { ...body, ...more });
      return `${answer.status} ${(answer.json() as { code: string }).code}`;
    };
    expect(await said({ minimumAmount: '1001' })).to.equal('422 FEE-0015');
    const both = { a: fee({ isDeductibleFrom: true, deferrable: true }) };
    expect(await said({ fees: both })).to.equal('422 FEE-0075');
    expect(await said({ metadataSelector: { feeLeg: 'true' } })).to.equal('400 FEE-0076');
    await made(client, v2(), body);
    expect(await said({})).to.equal('409 FEE-0018');
    expectProblem(await post(), 400, 'FEE-0018');
  });

  it('of one scope have no amounts in common, bounds included', async () => {
    const first = await createPackage(client, book);
    const range = (minimumAmount: string, maximumAmount: string) => ({
      minimumAmount,
      maximumAmount,
    });
    for (const bounds of [range('1000', '2000'), range('0', '100'), range('200', '300')]) {
      expectProblem(await post(bounds), 409, 'FEE-0035');
    }
    const second = await createPackage(client, book, range('1000.01', '2000'));
    await createPackage(client, book, { transactionRoute: 'pix', enable: false });
    expectProblem(await post({ transactionRoute: 'pix' }), 400, 'FEE-0018');
    expectProblem(await patch(second.id, { minimumAmount: '1000' }), 409, 'FEE-0035');
    await patched(second.id, { maximumAmount: '1500', feeGroupLabel: 'Larger' });
    expect((await send('DELETE', `/${first.id}`)).status).to.equal(204);
    await createPackage(client, book);
  });

  it('are changed member by member, and checked as they result', async () => {
    const free = fee({ priority: 2, referenceAmount: 'afterFeesAmount' });
    const tax = { ...free, routeTo: R2 };
    const { id } = await createPackage(client, book, { fees: { adm: fee(), tax } });
    const pix = fee({
      priority: 3,
      calculationModel: percent('0.5'),
      referenceAmount: 'afterFeesAmount',
    });
    const swapped = await patched(id, {
      maximumAmount: '5000.00',
      description: '',
      fees: {
        adm: { priority: 2, feeLabel: null },
        tax: { priority: 1, routeTo: null, referenceAmount: 'originalAmount' },
        old: [],
        pix,
      },
    });
    expect(swapped.maximumAmount).to.equal('5000');
    expect(swapped.fees).to.deep.equal({
      adm: fee({ priority: 2 }),
      tax: { ...free, priority: 1, referenceAmount: 'originalAmount' },
      pix,
    });
    const removed = await patched(id, { fees: { adm: [], pix: { feeLabel: null, routeTo: '' } } });
    expect(Object.keys(removed.fees)).to.deep.equal(['tax']);
    for (const none of [null, [], {}]) {
      expectProblem(await patch(id, { fees: { tax: none } }), 400, 'FEE-0002');
    }
    expectProblem(await patch(id, { fees: { neu: { priority: 9 } } }), 400, 'FEE-0028');
    expectProblem(await patch(id, { fees: { tax: 7 } }), 400, 'FEE-0041');
    expectProblem(await patch(id, { fees: { tax: [7] } }), 400, 'FEE-0041');
    const waived = await patched(id, { waivedAccounts: ['@vip'] });
    expect(waived.waivedAccounts).to.deep.equal(['@vip']);
    expect((await patched(id, { waivedAccounts: [] })).waivedAccounts).to.deep.equal([]);
    expect((await patched(id, { waivedAccounts: null })).waivedAccounts).to.equal(null);
  });

  it('stay as they are after an update without effect, and refuse an empty one', async () => {
    const { id, updatedAt } = await createPackage(client, book);
    const same = await patched(id, {
      minimumAmount: '100.0',
      fees: { adm: { routeFrom: null, creditAccount: '@fees' } },
    });
    expect(same.updatedAt).to.equal(updatedAt);
    const empty = [{}, { feeGroupLabel: '', description: '' }, { fees: {} }, { fees: { no: [] } }];
    for (const body of empty) expectProblem(await patch(id, body), 400, 'FEE-0017');
    for (const member of ['feeGroupLabel', 'minimumAmount', 'maximumAmount', 'fees', 'enable']) {
      expectProblem(await patch(id, { [member]: null }), 400, 'FEE-0002', { locations: [member] });
    }
    for (const member of ['ledgerId', 'segmentId', 'transactionRoute', 'id', 'chartOfAccount']) {
      expectProblem(await patch(id, { [member]: book.ledger }), 400, 'FEE-0001');
    }
    expectProblem(await patch(id, { maximumAmount: '99' }), 400, 'FEE-0033');
    expect(await journal()).to.have.lengthOf(1);
  });

  it('keep an account that was deleted since, and do not begin to refer to one', async () => {
    const { id } = await createPackage(client, book);
    const { id: account } = await got<Readonly<{ id: string }>>(
      client,
      `${book.at}/accounts/alias/@fees`,
    );
    expect((await client.delete(`${book.at}/accounts/${account}`)).status).to.equal(204);
    await patched(id, { fees: { adm: { priority: 3 } } });
    const fees = { other: fee({ priority: 4, creditAccount: '@gone' }) };
    expectProblem(await patch(id, { fees }), 400, 'FEE-0014');
  });

  it('are created once under an idempotency key, which belongs to the ledger', async () => {
    const keyed = { ...headers(), 'X-Idempotency': 'k' };
    const body = packageOf(book.ledger);
    const first = await client.post('/v1/packages', body, keyed);
    const again = await client.post('/v1/packages', body, keyed);
    expect([first.status, first.headers['x-idempotency-replayed']]).to.deep.equal([201, 'false']);
    expect([again.text, again.headers['x-idempotency-replayed']]).to.deep.equal([
      ...[first.text, 'true'],
    ]);
    const other = { ...body, feeGroupLabel: 'Other' };
    expectProblem(await client.post('/v1/packages', other, keyed), 409, 'LDG-0084');
  });

  it('are listed by page, with filters and their total', async () => {
    const made = [];
    for (const n of [1, 2, 3]) {
      made.push(await createPackage(client, book, { transactionRoute: `r${n}`, enable: n !== 2 }));
    }
    const list = async (query: string): Promise<PackageList> =>
      (await send('GET', query)).json() as PackageList;
    const idsOf = ({ items }: PackageList) => items.map(({ id }) => id);
    const [a, b, c] = made.map(({ id }) => id);
    expect(idsOf(await list(''))).to.deep.equal([a, b, c]);
    expect(idsOf(await list('?sort_order=desc&limit=2'))).to.deep.equal([c, b]);
    const second = await list('?limit=2&page=2');
    expect([idsOf(second), second.total, second.page]).to.deep.equal([[c], 3, 2]);
    expect(idsOf(await list('?enable=false'))).to.deep.equal([b]);
    expect(idsOf(await list('?transactionRoute=r3'))).to.deep.equal([c]);
    expect((await list(`?ledgerId=${NOBODY}`)).total).to.equal(0);
    expect((await list(`?segmentId=${NOBODY}`)).items).to.deep.equal([]);
    expect((await list('?start_date=2001-01-01&end_date=2001-01-02')).total).to.equal(0);
    const refusals = [
      ['?page=0', 'FEE-0051'],
      ['?page=-1', 'FEE-0051'],
      ['?limit=', 'FEE-0006'],
      ['?limit=101', 'FEE-0011'],
      ['?sort_order=up', 'FEE-0036'],
      ['?start_date=2001-01-01', 'FEE-0010'],
      ['?start_date=2001-01-02&end_date=2001-01-01', 'FEE-0010'],
      ['?start_date=x&end_date=y', 'FEE-0007'],
      ['?enable=yes', 'FEE-0006'],
    ] as const;
    for (const [query, code] of refusals) expectProblem(await send('GET', query), 400, code);
  });
});
