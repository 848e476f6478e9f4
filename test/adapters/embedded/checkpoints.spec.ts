import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Change, CollectionSpec } from '#src/ports/read-store.ts';
import { dataFolders } from '#test/contracts/samples.ts';

/** The write-ahead logs are files that keep their greatest size: it tells how large a checkpoint became. */
describe('embedded checkpoints', () => {
  const newFolder = dataFolders();
  const walMiB = (dir: string, file: string): number =>
    statSync(join(dir, `${file}-wal`)).size / 2 ** 20;

  it('fold the log in steps of a few MiB', async () => {
    const dir = newFolder();
    const ids = systemIds();
    const onFatal = (error: Error): never => {
      throw error;
    };
    const store = await openEmbeddedEventStore(dir, { ids, onFatal });
    let revision = -1 as Revision;
    for (let n = 0; n < 200; n += 1) {
      const events = Array.from({ length: 50 }, () => {
        return { id: ids.next(), type: 'Noted', data: `"${'x'.repeat(2000)}"`, metadata: '{}' };
      });
      ({ revision } = await store.append('ledger-1', events, revision));
    }
    expect(statSync(join(dir, 'log.db')).size / 2 ** 20).to.be.above(8);
    expect(walMiB(dir, 'log.db')).to.be.below(12);
    await store.close();
  });

  it('fold the read store when it is time, not only when much has gathered', async () => {
    const often = newFolder();
    await noteMany(often, 0);
    expect(walMiB(often, 'read.db')).to.be.below(2);

    const seldom = newFolder();
    await noteMany(seldom, 60_000);
    expect(walMiB(seldom, 'read.db')).to.be.above(8);
  });

  /** Some 10 MiB in batches, looked at while the writer is open: closing it removes the write-ahead log. */
  async function noteMany(dir: string, checkpointEveryMs: number): Promise<void> {
    const writer = openEmbeddedReadStoreWriter(dir, { checkpointEveryMs });
    await writer.open(LOG, [notes]);
    for (let batch = 0; batch < 100; batch += 1) {
      const changes = Array.from({ length: 50 }, (_, n) => note(batch * 50 + n));
      await writer.apply([{ collection: 'note', changes, checkpoint: START }]);
    }
    open.push(writer);
  }

  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const writer of open.splice(0)) await writer.close();
  });
});

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;
const notes: CollectionSpec = {
  name: 'note',
  version: 1,
  keys: { tenantId: 'text' },
  indexes: [['tenantId']],
};
const note = (n: number): Change => ({
  position: String(n + 1).padStart(8, '0') as Position,
  put: { id: String(n), born: n, keys: { tenantId: 'n1' }, body: `"${'y'.repeat(2000)}"` },
});
