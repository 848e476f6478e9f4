import { expect } from 'chai';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { ListPosition, Cut, Page } from '#src/ports/page.ts';
import type { Change, CollectionSpec, PageListing, ReadStore } from '#src/ports/read-store.ts';
import { dataFolders } from '#test/contracts/samples.ts';
import { nthId } from '#test/support/stamps.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';

const notes: CollectionSpec = {
  name: 'note',
  version: 1,
  keys: { tenantId: 'text' },
  indexes: [['tenantId']],
};
const ROWS = 2500;
/** For a machine that stands still. */
const PATIENCE_MS = 30_000;

/** So that to parse all of them takes many times the budget of a millisecond. */
const LONG = Array.from({ length: 800 }, (_, n) => n);

/** Every hundredth is of gold. The value is a number, so that each body has to be parsed to tell. */
const note = (n: number): Change => ({
  position: String(n).padStart(8, '0') as Position,
  put: {
    id: String(n),
    born: n,
    keys: { tenantId: 'n1' },
    body: JSON.stringify({ n, metadata: { tier: n % 100 === 0 ? 7 : 8 }, LONG }),
  },
});
const golden: PageListing = {
  where: { tenantId: 'n1' },
  filters: [{ metadata: 'tier', is: '7' }],
  order: 'asc',
  limit: 100,
};
const nothing = { ...golden, filters: [{ metadata: 'tier', is: '9' }] };

const numbersOf = ({ items }: Page): number[] => {
  const text = typeof items === 'string' ? items : new TextDecoder().decode(items);
  return (JSON.parse(`[${text}]`) as { n: number }[]).map(({ n }) => n);
};

describe('the budget of an embedded read', () => {
  const newFolder = dataFolders();
  let dir: string;
  let reads: ReadStore;

  before(async function () {
    this.timeout(PATIENCE_MS);
    dir = newFolder();
    const writer = openEmbeddedReadStoreWriter(dir);
    await writer.open(nthId(1), [notes]);
    const changes = Array.from({ length: ROWS }, (_, n) => note(n + 1));
    await writer.apply([{ collection: 'note', changes, checkpoint: START }]);
    await writer.close();
  });
  const open = (budgetMs: number, more = {}) => {
    reads = openEmbeddedReadStore(dir, READ_WORKER, { budgetMs, patienceMs: PATIENCE_MS, ...more });
    return reads;
  };
  afterEach(() => reads.close());

  for (const order of ['asc', 'desc'] as const) {
    it(`ends a page early that finds too little in its time, and goes on from there (${order})`, async () => {
      open(1);
      const found: number[] = [];
      const cuts: (Cut | undefined)[] = [];
      for (let after: ListPosition | undefined; ;) {
        const listing = { ...golden, order, ...(after !== undefined && { after }) };
        const page = await reads.page(notes, listing);
        found.push(...numbersOf(page));
        cuts.push(page.cut);
        if (!page.more) break;
        expect(page.last).to.not.equal(after);
        after = page.last;
      }
      const all = Array.from({ length: ROWS / 100 }, (_, n) => (n + 1) * 100);
      expect(found).to.deep.equal(order === 'asc' ? all : all.toReversed());
      expect(cuts.length).to.be.above(2);
      expect(new Set(cuts)).to.deep.equal(new Set(['time', undefined]));
    });
  }

  it('goes back over a page that ended early, in the order of the list', async () => {
    open(1);
    const back = { ...golden, order: 'desc', reversed: true, after: ROWS + 1 } as const;
    const page = await reads.page(notes, back);
    expect(page.cut).to.equal('time');
    expect(page.first).to.be.at.most(ROWS);
    const before = await reads.page(notes, { ...back, after: page.first! });
    expect(before.first).to.be.below(Number(page.first));
  });

  it('says of rows that were to be left out first that it did not come to the page', async () => {
    open(1);
    const page = await reads.page(notes, { ...nothing, skip: 100 });
    expect(page).to.include({ cut: 'time', first: undefined, last: undefined });
  });

  it('fails where there is no page to end early', async () => {
    open(1);
    const failed = await reads.list(notes, nothing).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(TimeBudgetExceeded);
  });

  it('finds in one page what it has the time for', async () => {
    open(PATIENCE_MS);
    const page = await reads.page(notes, golden);
    expect([numbersOf(page).length, page.cut, page.more]).to.deep.equal([
      ROWS / 100,
      undefined,
      false,
    ]);
  });

  it('is a slice at a time while others read, however many scans there are', async () => {
    open(PATIENCE_MS);
    let scans = 0;
    const scanning = Array.from({ length: 30 }, async () => {
      await reads.page(notes, nothing);
      scans += 1;
    });
    await new Promise((resolve) => setImmediate(resolve));
    for (let n = 1; n <= 20; n += 1) {
      expect(await reads.get(notes, { id: String(n) })).to.include({ born: n });
    }
    expect(scans).to.be.below(30);
    await Promise.all(scanning);
  });

  it('ends scans with what they have when there are too many of them', async () => {
    open(PATIENCE_MS);
    const pages = await Promise.all(Array.from({ length: 100 }, () => reads.page(notes, nothing)));
    const busy = pages.filter(({ cut }) => cut === 'busy');
    expect(busy.length).to.be.within(1, 36);
    for (const { last } of busy) expect(last).to.be.a('number');
  });

  it('ends with what it has when others keep it waiting for too long', async () => {
    open(PATIENCE_MS, { patienceMs: 1 });
    const pages = await Promise.all([reads.page(notes, nothing), reads.page(notes, nothing)]);
    expect(pages.map(({ cut }) => cut)).to.include('busy');
  });

  it('is not spent on a caller that is gone', async () => {
    open(PATIENCE_MS);
    const callers = Array.from({ length: 60 }, () => ({ gone: false }));
    const asked = callers.map((caller) =>
      reads.page(notes, nothing, caller).catch((error: unknown) => error),
    );
    for (const caller of callers) caller.gone = true;
    const answers = await Promise.all(asked);
    const forgotten = answers.filter((answer) => answer instanceof Unavailable);
    expect(forgotten.length).to.be.above(20);
  });

  it('bounds the bytes of a page', async () => {
    open(PATIENCE_MS, { pageBytes: 30_000 });
    const page = await reads.page(notes, { where: golden.where, order: 'asc', limit: 100 });
    expect(page.cut).to.equal('bytes');
    expect(Buffer.byteLength(page.items)).to.be.within(30_000, 36_000);
    const rest = await reads.page(notes, { ...golden, filters: [], after: page.last! });
    expect(numbersOf(rest)[0]).to.equal(numbersOf(page).length + 1);
  });
});
