import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { createAsset, got, openBook, posted, transfer, type Book } from './books.ts';
import { expectProblem } from './problems.ts';

describe('dashboard', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  const path = (which: string, query = '') => `${book.at}/dashboard/${which}?${query}`;
  const metrics = (query = '') => got<Metrics>(client, path('metrics', query));
  const volume = (query = '') => got<Volume>(client, path('volume', query));
  const dated = (value: string, transactionDate: string) =>
    posted(client, book.at, { ...transfer('@alice', '@bob', value), transactionDate });

  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    await createAsset(client, book.at, { code: 'EMPTY' });
    await dated('1.5', '2026-01-05T10:00:00Z');
    await dated('0.25', '2026-01-05T10:00:59.999999Z');
    await dated('2', '2026-01-06T00:00:00Z');
    await dated('4', '2026-01-07T12:00:00Z');
    const { id } = await posted(client, book.at, {
      ...transfer('@alice', '@bob', '10.01'),
      pending: true,
    });
    await client.post(`${book.at}/transactions/${id}/commit`);
    const paid = await posted(client, book.at, transfer('@alice', '@bob', '7'));
    await client.post(`${book.at}/transactions/${paid.id}/revert`);
    await posted(client, book.at, { ...transfer('@bob', '@alice', '3'), pending: true });
  });

  it('counts transactions and what they moved, reversals among them and by themselves', async () => {
    const { byStatus, volumeByAsset, reversalsByAsset, total } = await metrics('period=7d');
    expect(total).to.equal(5);
    expect(byStatus).to.deep.equal({ APPROVED: 4, PENDING: 1 });
    expect(volumeByAsset).to.deep.equal([{ asset: 'BRL', amount: '524.01', transactions: 4 }]);
    expect(reversalsByAsset).to.deep.equal([{ asset: 'BRL', amount: '7', transactions: 1 }]);
  });

  it('takes thirty days when nothing is asked for, and tells its window', async () => {
    const found = await metrics();
    const days = (Date.parse(found.windowEnd) - Date.parse(found.windowStart)) / 86_400_000;
    expect(days).to.be.closeTo(30, 0.001);
    const untilEnd = Date.parse(found.windowEnd) - Date.parse(found.updatedAt); // It is the end of a whole second.
    expect(untilEnd).to.be.within(-60_000, 1000);
  });

  it('takes a window of its first moment, and not of its last', async () => {
    const found = await metrics('start_date=2026-01-05T10:00:00Z&end_date=2026-01-07T12:00:00Z');
    expect(found.volumeByAsset).to.deep.equal([{ asset: 'BRL', amount: '3.75', transactions: 3 }]);
    const rest = await metrics('start_date=2026-01-05T10:00:01Z&end_date=2026-01-07T12:00:01Z');
    expect(rest.volumeByAsset).to.deep.equal([{ asset: 'BRL', amount: '6.25', transactions: 3 }]);
    const none = await metrics('start_date=2026-01-05T10:00:01Z&end_date=2026-01-05T10:00:59Z');
    expect(none).to.deep.include({ total: 0, byStatus: {}, volumeByAsset: [] });
  });

  it('has a point for each day the window touches, empty ones included', async () => {
    const { points } = await volume(
      'start_date=2026-01-04T12:00:00Z&end_date=2026-01-08T00:00:00Z',
    );
    const moved = (amount: string, transactions: number) => [
      { asset: 'BRL', amount, transactions },
    ];
    expect(points).to.deep.equal([
      { date: '2026-01-04', transactions: 0, byAsset: [] },
      { date: '2026-01-05', transactions: 2, byAsset: moved('1.75', 2) },
      { date: '2026-01-06', transactions: 1, byAsset: moved('2', 1) },
      { date: '2026-01-07', transactions: 1, byAsset: moved('4', 1) },
    ]);
    const week = await volume('period=7d');
    expect(week.points.length).to.be.oneOf([7, 8]); // Seven only at midnight.
    const lately = week.points.slice(-2).map(({ transactions }) => transactions);
    expect((lately[0] ?? 0) + (lately[1] ?? 0)).to.equal(5); // Midnight may have passed since.
  });

  it('adds up what accounts hold by asset, the world outside left out', async () => {
    const { assets } = await got<Assets>(client, path('assets'));
    expect(assets).to.deep.equal([
      { asset: 'BRL', accounts: 2, available: '497', onHold: '3' },
      { asset: 'EMPTY', accounts: 0, available: '0', onHold: '0' },
    ]);
  });

  it('may not be kept by whoever is between', async () => {
    const answer = await client.get(path('assets'));
    expect(answer.headers['cache-control']).to.equal('private, no-cache');
  });

  it('refuses windows that are none', async () => {
    const dates = (from: string, to: string) => `start_date=${from}&end_date=${to}`;
    for (const [query, code] of [
      ['period=8d', '0082'],
      [`period=7d&${dates('2026-01-05T10:00:00Z', '2026-01-06T10:00:00Z')}`, '0082'],
      ['start_date=2026-01-05T10:00:00Z', '0083'],
      ['end_date=2026-01-05T10:00:00Z', '0083'],
      [dates('2026-01-05', '2026-01-06'), '0131'],
      [dates('2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z'), '0078'],
      [dates('2026-01-01T00:00:00Z', '2026-04-01T00:00:00.000001Z'), '0079'],
    ] as const) {
      for (const which of ['metrics', 'volume']) {
        expectProblem(await client.get(path(which, query)), 400, `LDG-${code}`);
      }
    }
    const longest = dates('2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z');
    expect((await volume(longest)).points).to.have.length(90);
  });
});

type Moved = Readonly<{ asset: string; amount: string; transactions: number }>;
type Window = Readonly<{ windowStart: string; windowEnd: string; updatedAt: string }>;
type Metrics = Window &
  Readonly<{
    total: number;
    byStatus: Readonly<Record<string, number>>;
    volumeByAsset: readonly Moved[];
    reversalsByAsset: readonly Moved[];
  }>;
type Volume = Window &
  Readonly<{
    points: readonly Readonly<{ date: string; transactions: number; byAsset: readonly Moved[] }>[];
  }>;
type Assets = Readonly<{
  assets: readonly Readonly<{
    asset: string;
    accounts: number;
    available: string;
    onHold: string;
  }>[];
  updatedAt: string;
}>;
