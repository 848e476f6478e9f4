import { expect } from 'chai';
import { ACC, accountsPath, call, ORG, startSample, type Sample } from './sample.ts';

describe('query', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());
  const list = (query: string) => call(sample, 'GET', `${accountsPath}?${query}`);
  const refusedAs = async (query: string) => {
    const { status, json } = await list(query);
    return `${status} ${String(json['code'])}`;
  };
  const seen = async (query: string) => {
    const { json } = await list(query);
    return (
      json['items'] as { page: Record<string, unknown>; query: Record<string, unknown> }[]
    )[0]!;
  };

  it('has defaults', async () => {
    expect((await seen('')).page).to.deep.equal({ limit: 10, metadata: [], bare: true });
  });

  it('reads what every list takes', async () => {
    const { page } = await seen(
      'limit=100&page=2&cursor=abc&sort_order=DESC&metadata.tier=gold&metadata.a.b=1',
    );
    expect(page).to.deep.equal({
      limit: 100,
      page: 2,
      cursor: 'abc',
      sortOrder: 'desc',
      metadata: [
        { key: 'tier', value: 'gold' },
        { key: 'a.b', value: '1' },
      ],
      bare: false,
    });
  });

  it('takes the last of several, the empty as absent, and ignores what it does not know', async () => {
    const { page } = await seen(
      'page=5&page=2&sort_order=&cursor=&offset=x&sortBy=y&metadata=z&Limit=7&metadata.=1',
    );
    expect(page).to.deep.equal({ limit: 10, page: 2, metadata: [], bare: false });
  });

  for (const [query, answer] of [
    ['limit=', '400 LDG-0082'],
    ['limit=0', '400 LDG-0082'],
    ['limit=-1', '400 LDG-0082'],
    ['limit=ten', '400 LDG-0082'],
    ['limit=1.5', '400 LDG-0082'],
    ['limit=101', '400 LDG-0080'],
    ['limit=99999999999999999999999', '400 LDG-0080'],
    ['page=0', '400 LDG-0082'],
    ['page=-1', '400 LDG-0082'],
    ['page=9999999999999999999', '400 LDG-0082'],
    ['sort_order=up', '400 LDG-0081'],
    ['start_date=2025-01-01', '400 LDG-0083'],
    ['end_date=2025-01-01', '400 LDG-0083'],
    ['start_date=2025-01-01&end_date=', '400 LDG-0083'],
    ['start_date=2025-13-01&end_date=2025-01-01', '400 LDG-0131'],
    ['start_date=2025-02-29&end_date=2025-03-01', '400 LDG-0131'],
    ['start_date=2025-02-01T25:00:00Z&end_date=2025-03-01', '400 LDG-0131'],
    ['start_date=01/02/2025&end_date=2025-03-01', '400 LDG-0131'],
    ['start_date=2025-01-02&end_date=2025-01-01', '400 LDG-0078'],
    [`name=${'x'.repeat(257)}`, '400 LDG-0082'],
    ['name=a%00b', '400 LDG-0082'],
    ['status=GONE', '400 LDG-0082'],
    ['portfolio_id=12', '400 LDG-0082'],
    ['blocked=yes', '400 LDG-0082'],
    [`cursor=${'x'.repeat(3000)}`, '400 LDG-0082'],
    [Array.from({ length: 21 }, (_, i) => `metadata.k${i}=1`).join('&'), '400 LDG-0082'],
  ] as const) {
    it(`refuses ${query.slice(0, 50)}`, async () =>
      expect(await refusedAs(query)).to.equal(answer));
  }

  it('lists all findings, with their places', async () => {
    const { json } = await list('limit=0&page=0&sort_order=x&status=y');
    expect(json['errors']).to.deep.equal([
      { location: 'query.limit', message: 'must be a positive integer', value: '0' },
      { location: 'query.page', message: 'must be a positive integer', value: '0' },
      { location: 'query.sort_order', message: 'must be asc or desc', value: 'x' },
      { location: 'query.status', message: 'must be one of ACTIVE, INACTIVE', value: 'y' },
    ]);
    expect(json).not.to.have.property('entityType');
  });

  it('takes windows of dates as long as the operator lets them be', async () => {
    const asked = async (start: string, end: string) =>
      (await list(`start_date=${start}&end_date=${end}`)).status;
    expect(await asked('1926-01-15', '2026-01-15')).to.equal(200);
    expect(await refusedAs('start_date=1926-01-15&end_date=2026-01-16')).to.equal('400 LDG-0079');
    expect(await asked('1904-02-29', '2004-02-29')).to.equal(200);
    expect(await asked('2000-02-29', '2100-02-28')).to.equal(200);
    expect(await refusedAs('start_date=2000-02-29&end_date=2100-03-01')).to.equal('400 LDG-0079');
    expect(await asked('9950-01-01', '9999-12-31')).to.equal(200);
  });

  it('reads dates in all their forms, inclusive at both ends', async () => {
    const dates = async (start: string, end: string) => {
      const { page } = await seen(
        `start_date=${encodeURIComponent(start)}&end_date=${encodeURIComponent(end)}`,
      );
      return [page['startDate'], page['endDate']];
    };
    expect(await dates('2024-02-29', '2024-02-29')).to.deep.equal([
      '2024-02-29T00:00:00.000000Z',
      '2024-02-29T23:59:59.999999Z',
    ]);
    expect(await dates('2025-01-01 10:00:00', '2025-01-01T12:00:00.123456789Z')).to.deep.equal([
      '2025-01-01T10:00:00.000000Z',
      '2025-01-01T12:00:00.123456Z',
    ]);
    expect(await dates('2025-01-01T00:00:00+03:00', '2025-01-01T00:00:00-03:00')).to.deep.equal([
      '2024-12-31T21:00:00.000000Z',
      '2025-01-01T03:00:00.000000Z',
    ]);
  });

  it('converts the filters of a route', async () => {
    const { query } = await seen(
      `status=active&blocked=1&name=%20Cash%20&portfolio_id=${ACC.toUpperCase()}`,
    );
    expect(query).to.deep.equal({
      status: 'ACTIVE',
      blocked: true,
      name: 'Cash',
      portfolio_id: ACC,
    });
  });

  it('requires what a route requires', async () => {
    const path = `/v1/balances/${ACC}/history`;
    expect((await call(sample, 'GET', path)).json['code']).to.equal('LDG-0142');
    expect((await call(sample, 'GET', `${path}?date=x`)).json['code']).to.equal('LDG-0131');
    expect((await call(sample, 'GET', `${path}?date=2025-01-01`)).json).to.deep.equal({
      date: '2025-01-01T00:00:00.000000Z',
    });
  });

  it('answers 422 on the one list whose description knows no 400, and takes lone dates there', async () => {
    const path = `/v2/organizations/${ORG}/transaction-routes`;
    const { status, json } = await call(sample, 'GET', `${path}?limit=0`);
    expect([status, json['status'], json['code']]).to.deep.equal([422, 422, 'LDG-0082']);
    const { json: page } = await call(sample, 'GET', `${path}?start_date=2025-01-01`);
    expect(page).to.deep.equal({ items: [], limit: 10, next_cursor: 'abc' });
  });

  it('is decided after the path and before the body', async () => {
    const wrongPath = accountsPath.replace(ORG, 'x');
    expect((await call(sample, 'GET', `${wrongPath}?limit=0`)).json['code']).to.equal('LDG-0065');
    expect((await call(sample, 'POST', wrongPath, '{')).json['code']).to.equal('LDG-0065');
  });

  it('survives garbage', async () => {
    for (const query of ['%', '%zz=%ff', '&&&=', '?'.repeat(50), '=', 'limit', '%00=%00']) {
      expect((await list(query)).status, query).to.be.below(500);
    }
  });
});
