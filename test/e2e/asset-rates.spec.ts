import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { keys } from '#test/support/metadata-samples.ts';
import { sharedServer } from '#test/support/server.ts';
import { got, NOBODY, openBook, UTC_TIME, UUID_V7, type AssetRate, type List } from './books.ts';
import { expectProblem } from './problems.ts';

const DOLLAR = { from: 'USD', to: 'BRL', rate: 5425 };

describe('asset rates', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let rates = '';
  beforeEach(async () => {
    rates = `${(await openBook(client, { assets: [] })).at}/asset-rates`;
  });

  const sent = (body: object, path = rates) =>
    client.send({
      method: 'PUT',
      path,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const put = async (body: object): Promise<AssetRate> => {
    const answer = await sent(body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json() as AssetRate;
  };
  const from = async (query: string): Promise<string[]> =>
    (await got<List<AssetRate>>(client, `${rates}/from/${query}`)).items.map(({ to }) => to);

  it('are put for codes that need not be assets of the ledger', async () => {
    const { id, externalId, createdAt, updatedAt, organizationId, ledgerId, ...rest } =
      await put(DOLLAR);
    expect([id, externalId]).to.satisfy((ids: string[]) => ids.every((one) => UUID_V7.test(one)));
    expect(createdAt).to.match(UTC_TIME);
    expect(updatedAt).to.equal(createdAt);
    expect(rates).to.include(`${organizationId}/ledgers/${ledgerId}`);
    expect(rest).to.deep.equal({ ...DOLLAR, scale: 0, source: null, ttl: 0, metadata: {} });
  });

  it('are found by the external id they were given', async () => {
    const externalId = '5B2F9D1C-7C43-4A4E-9B1E-0A4A8F3C2D10';
    const answer = await sent({ ...DOLLAR, externalId, source: 'Bank', ttl: 60, scale: 3 });
    const rate = answer.json() as AssetRate;
    expect(rate).to.include({ externalId: externalId.toLowerCase(), source: 'Bank', ttl: 60 });
    expect((await client.get(`${rates}/${externalId}`)).text).to.equal(answer.text);
  });

  it('merge metadata up to 100 keys', async () => {
    await put({ ...DOLLAR, metadata: keys(60) });
    const full = await put({ ...DOLLAR, metadata: keys(40, 60) });
    expect(full.metadata).to.deep.equal(keys(100));
    expectProblem(await sent({ ...DOLLAR, rate: 7, metadata: keys(1, 100) }), 400, 'LDG-0145');
    expect((await client.get(`${rates}/${full.externalId}`)).json()).to.deep.equal(full);
  });

  it('keep their ids when they are replaced, and lose what is left out', async () => {
    const metadata = { desk: 'south', n: 1 };
    const before = await put({ ...DOLLAR, source: 'Bank', ttl: 60, scale: 3, metadata });
    const after = await put({ ...DOLLAR, rate: 6, metadata: { n: null, late: true } });
    expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal({
      ...before,
      ...{ rate: 6, scale: 0, source: null, ttl: 0, metadata: { desk: 'south', late: true } },
    });
    expect(after.updatedAt > before.updatedAt).to.equal(true);
    const found = await got<AssetRate>(client, `${rates}/${before.externalId}`);
    expect(found).to.deep.equal(after);
    const again = await put({ ...DOLLAR, rate: 6, metadata: null });
    expect(again.metadata).to.deep.equal({});
    expect(again.updatedAt > after.updatedAt).to.equal(true);
    expect(await from('USD')).to.deep.equal(['BRL']);
  });

  it('may share an external id, which then means the pair created last', async () => {
    const { externalId } = await put(DOLLAR);
    const euro = await put({ ...DOLLAR, to: 'EUR', externalId });
    await put({ ...DOLLAR, rate: 9, externalId });
    expect(await got(client, `${rates}/${externalId}`)).to.deep.equal(euro);
    const other = await put({ ...DOLLAR, to: 'EUR', externalId: NOBODY });
    expect(await got(client, `${rates}/${NOBODY}`)).to.deep.equal(other);
    expect(await got(client, `${rates}/${externalId}`)).to.include({ to: 'BRL', rate: 9 });
  });

  it('keep whole numbers exactly, up to the largest', async () => {
    const rate = Number.MAX_SAFE_INTEGER;
    expect(await put({ ...DOLLAR, rate, scale: rate, ttl: rate })).to.include({
      rate,
      scale: rate,
    });
    const body = `{"from":"USD","to":"BRL","rate":9007199254740993}`;
    const headers = { 'Content-Type': 'application/json' };
    const more = await client.send({ method: 'PUT', path: rates, headers, body });
    expectProblem(more, 400, 'LDG-0047', { locations: ['rate'] });
  });

  describe('from an asset', () => {
    it('are listed in the order of creation, all or those to some', async () => {
      for (const to of ['BRL', 'EUR', 'PEN', 'CLP']) await put({ ...DOLLAR, to });
      await put({ from: 'EUR', to: 'USD', rate: 2 });
      await put(DOLLAR);
      expect(await from('USD')).to.deep.equal(['BRL', 'EUR', 'PEN', 'CLP']);
      expect(await from('USD?to=PEN')).to.deep.equal(['PEN']);
      expect(await from('USD?to=CLP,%20EUR,,XYZ')).to.deep.equal(['EUR', 'CLP']);
      expect(await from('USD?to=,')).to.have.length(4);
      expect(await from('USD?to=XYZ')).to.deep.equal([]);
      expect(await from('GBP')).to.deep.equal([]);
      expect(await from('USD?sort_order=desc&limit=2')).to.deep.equal(['CLP', 'PEN']);
    });

    it('are walked by page or by cursor', async () => {
      for (const to of ['BRL', 'EUR', 'PEN']) await put({ ...DOLLAR, to });
      const at = `${rates}/from/USD?limit=2&to=BRL,EUR,PEN`;
      const first = await got<List<AssetRate>>(client, at);
      expect(first).not.to.have.any.keys('page', 'prev_cursor');
      const second = await got<List<AssetRate>>(client, `${at}&cursor=${first.next_cursor ?? ''}`);
      expect(second.items.map(({ to }) => to)).to.deep.equal(['PEN']);
      expect(second).not.to.have.property('next_cursor');
      const page = await got<List<AssetRate>>(client, `${at}&page=2`);
      expect([page.page, page.items.map(({ to }) => to)]).to.deep.equal([2, ['PEN']]);
      const other = `${rates}/from/USD?to=BRL&cursor=${first.next_cursor ?? ''}`;
      expectProblem(await client.get(other), 400, 'LDG-0082', { locations: ['query.cursor'] });
    });

    it('are filtered by dates and by metadata', async () => {
      await put({ ...DOLLAR, metadata: { desk: 'south' } });
      await put({ ...DOLLAR, to: 'EUR' });
      expect(await from('USD?metadata.desk=south')).to.deep.equal(['BRL']);
      expect(await from('USD?start_date=2000-01-01&end_date=2000-01-02')).to.deep.equal([]);
      expect(await from('USD?start_date=2000-01-01&end_date=2999-01-01')).to.have.length(2);
    });

    it('are asked for by codes alone', async () => {
      const asked = (path: string) => client.get(`${rates}/from/${path}`);
      const path = { locations: ['path.asset_code'] };
      expectProblem(await asked('U5D'), 400, 'LDG-0033', path);
      expectProblem(await asked('usd'), 400, 'LDG-0004', path);
      const query = { locations: ['query.to'] };
      expectProblem(await asked('USD?to=BRL,B1'), 400, 'LDG-0033', query);
      expectProblem(await asked('USD?to=BRL,eur'), 400, 'LDG-0004', query);
      const long = Array.from({ length: 80 }, () => 'ABC').join(',');
      expectProblem(await asked(`USD?to=${long}`), 400, 'LDG-0082', query);
    });
  });

  const wrong: readonly (readonly [what: string, code: string, body: object, at: string])[] = [
    ['nothing', '0009', {}, 'from,to,rate'],
    ['a rate of 0', '0009', { ...DOLLAR, rate: 0 }, 'rate'],
    ['a rate below 0', '0047', { ...DOLLAR, rate: -1 }, 'rate'],
    ['a part of a rate', '0094', { ...DOLLAR, rate: 1.5 }, 'rate'],
    ['a rate in words', '0094', { ...DOLLAR, rate: '5' }, 'rate'],
    ['a scale below 0', '0047', { ...DOLLAR, scale: -1 }, 'scale'],
    ['a part of a scale', '0094', { ...DOLLAR, scale: 0.1 }, 'scale'],
    ['a time below 0', '0047', { ...DOLLAR, ttl: -1 }, 'ttl'],
    ['digits in a code', '0033', { ...DOLLAR, to: 'B1' }, 'to'],
    ['small letters in a code', '0004', { ...DOLLAR, from: 'usd' }, 'from'],
    ['a code too short', '0047', { ...DOLLAR, from: 'U' }, 'from'],
    ['a code too long', '0047', { ...DOLLAR, to: 'ABCDEFGHIJK' }, 'to'],
    ['a source too long', '0047', { ...DOLLAR, source: 'x'.repeat(201) }, 'source'],
    ['an external id that is none', '0047', { ...DOLLAR, externalId: 'x' }, 'externalId'],
    ['an id of their own', '0053', { ...DOLLAR, id: NOBODY }, 'id'],
    ['metadata to remove', '0067', { ...DOLLAR, metadata: { a: null } }, 'metadata.a'],
  ];
  for (const [what, code, body, at] of wrong) {
    it(`are refused for ${what}: ${code}`, async () => {
      expectProblem(await sent(body), 400, `LDG-${code}`, { locations: at.split(',') });
      expect(await from('USD')).to.deep.equal([]);
    });
  }

  it('are not found where there are none, and stand under /v1 only', async () => {
    const said = { entityType: 'AssetRate' };
    expectProblem(await client.get(`${rates}/${NOBODY}`), 404, 'LDG-0007', said);
    expectProblem(await client.get(`${rates}/USD`), 400, 'LDG-0065');
    const lost = rates.replace(/ledgers\/[^/]+/, `ledgers/${NOBODY}`);
    expectProblem(await sent(DOLLAR, lost), 404, 'LDG-0037', said);
    expectProblem(await client.get(`${lost}/from/USD`), 404, 'LDG-0037', said);
    expectProblem(await client.get(rates), 405, 'LDG-0485');
    const second = rates.replace('/v1/', '/v2/');
    expectProblem(await sent(DOLLAR, second), 404, 'LDG-0484');
    expectProblem(await client.get(`${second}/from/USD`), 404, 'LDG-0484');
  });
});
