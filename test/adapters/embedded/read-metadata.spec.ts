import { join } from 'node:path';
import { expect } from 'chai';
import { DatabaseSync } from 'node:sqlite';
import { READ_FILE } from '#src/adapters/embedded/read-layout.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { ReadView } from '#src/adapters/embedded/read-view.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Change, CollectionSpec, Listing, ReadStoreWriter } from '#src/ports/read-store.ts';
import { dataFolders } from '#test/contracts/samples.ts';
import { explained } from '#test/support/explained.ts';

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;
const ROWS = 3000;
const notes: CollectionSpec = {
  name: 'note',
  version: 1,
  keys: { tenantId: 'text', ledgerId: 'text', kind: 'text' },
  indexes: [
    ['tenantId', 'ledgerId'],
    ['tenantId', 'ledgerId', 'kind'],
  ],
};
const golden: Listing = {
  where: { tenantId: 'n1', ledgerId: 'l1' },
  filters: [{ metadata: 'tier', is: 'gold' }],
  order: 'asc',
  limit: 3,
};

describe('embedded index on metadata', () => {
  const newFolder = dataFolders();
  let dir = '';
  let writer: ReadStoreWriter;
  beforeEach(async () => {
    dir = newFolder();
    writer = openEmbeddedReadStoreWriter(dir);
    await writer.open(LOG, [notes]);
    const changes = Array.from({ length: ROWS }, (_, n) => note(n + 1));
    await writer.apply([{ collection: 'note', changes, checkpoint: START }]);
  });
  afterEach(() => writer.close());

  const wish = (n: number, wanted: boolean) =>
    writer.apply([
      {
        collection: 'note',
        changes: [],
        checkpoint: START,
        wishes: [{ collection: 'note', key: 'tier', tenantId: 'n1', wanted, position: at(n) }],
      },
    ]);
  const settle = async (): Promise<number> => {
    let steps = 1;
    while (await writer.indexMetadata()) steps += 1;
    return steps;
  };

  it('leads a filter to the rows that have the text, and to no others', async () => {
    const before = walked(dir, golden);
    expect(before.plans.join()).to.match(/SEARCH r USING INDEX rows_1_index_0/);
    await wish(9000, true);
    await settle();
    const { found, plans } = walked(dir, golden);
    expect(found).to.deep.equal(before.found).and.to.deep.equal(['1000', '2000', '3000']);
    expect(plans).not.to.be.empty;
    for (const plan of plans) {
      expect(plan).to.match(
        /SEARCH x USING PRIMARY KEY \(number=\? AND key_tenantId=\? AND key_ledgerId=\? AND text=\?/,
      );
      expect(plan).not.to.match(/SCAN|TEMP B-TREE|INDEX rows_/);
    }
  });

  it('leads to the place at which a page begins, in both directions', async () => {
    await wish(9000, true);
    await settle();
    const { found, plans } = walked(dir, { ...golden, after: 2000, order: 'desc' });
    expect(found).to.deep.equal(['1000']);
    expect(plans.join())
      .to.match(/text=\? AND born<\?/)
      .and.not.to.match(/TEMP B-TREE/);
  });

  it('is not used before every row was looked at, nor once it is on its way out', async () => {
    await wish(9000, true);
    expect(await writer.indexMetadata()).to.equal(true);
    expect(walked(dir, golden).plans.join()).to.match(/INDEX rows_1_index_0/);
    expect(await settle()).to.be.above(3);
    expect(walked(dir, golden).plans.join()).to.match(/SEARCH x/);
    await wish(9001, false);
    await writer.indexMetadata();
    expect(walked(dir, golden).plans.join()).to.match(/INDEX rows_1_index_0/);
  });

  it('leaves nothing behind when it is dropped', async () => {
    await wish(9000, true);
    await settle();
    await wish(9001, false);
    await settle();
    const db = new DatabaseSync(join(dir, READ_FILE), { readOnly: true });
    for (const table of ['metadata_1', 'metadata_index']) {
      expect(db.prepare(`SELECT count(*) AS n FROM ${table}`).get(), table).to.include({ n: 0 });
    }
    db.close();
  });
});

/** What a listing finds, and how SQLite went about each statement of it. */
function walked(dir: string, listing: Listing) {
  const db = new DatabaseSync(join(dir, READ_FILE), { readOnly: true });
  const view = new ReadView(db);
  view.refresh();
  const plans = explained(db, view);
  const walk = ReadView.list(() => view, 'note', listing, { take: (row) => row });
  let step = walk.next();
  while (step.done !== true) step = walk.next();
  const found = step.value.found.map(({ id }) => id);
  db.close();
  return { found, plans };
}

const at = (n: number) => String(n).padStart(8, '0') as Position;

/** Every thousandth is of gold; the others are of something else. */
const note = (n: number): Change => ({
  position: at(n),
  put: {
    id: String(n),
    born: n,
    keys: { tenantId: 'n1', ledgerId: 'l1', kind: 'a' },
    body: JSON.stringify({ metadata: { tier: n % 1000 === 0 ? 'gold' : `tin ${n % 7}` } }),
  },
});
