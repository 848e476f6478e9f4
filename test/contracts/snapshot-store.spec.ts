import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { snapshotStoreContract, taken } from './snapshot-store.contract.ts';
import { dataFolders } from './samples.ts';

describe('snapshot store: memory', () => {
  snapshotStoreContract(async () => new MemorySnapshotStore({ scheduler: systemScheduler }));

  it('gives nothing back of a torn snapshot, until the next one is saved', async () => {
    const fates = ['ok', 'torn', 'ok'] as const;
    let saves = 0;
    const faults = { save: () => fates[saves++] ?? 'ok' };
    const store = new MemorySnapshotStore({ scheduler: systemScheduler, faults });

    const loaded: unknown[] = [];
    for (const revision of [1, 2, 3]) {
      await store.save('ledger-a', taken(revision, ['a']));
      loaded.push((await store.load('ledger-a'))?.revision);
    }
    expect(loaded).to.deep.equal([1, undefined, 3]);
  });
});

describe('snapshot store: embedded', () => {
  const newFolder = dataFolders();

  snapshotStoreContract(async () => openEmbeddedSnapshotStore(newFolder()));

  it('keeps them when it is closed and opened again, for every thread', async () => {
    const dir = newFolder();
    const [one, two] = [openEmbeddedSnapshotStore(dir), openEmbeddedSnapshotStore(dir)];
    await one.save('ledger-a', taken(1, ['a']));
    expect(await two.load('ledger-a')).to.deep.equal(taken(1, ['a']));
    await Promise.all([one.close(), two.close()]);

    const again = openEmbeddedSnapshotStore(dir);
    expect(await again.load('ledger-a')).to.deep.equal(taken(1, ['a']));
    await again.close();
  });

  for (const [what, damage] of Object.entries({
    'another text': `UPDATE chunks SET body = 'x' WHERE number = 1`,
    'the same bytes as another type': `UPDATE chunks SET body = CAST(body AS BLOB)`,
    'chunks in another order': `UPDATE chunks SET body = iif(number = 0, 'bb', 'a')`,
    'other borders between chunks': `UPDATE chunks SET body = iif(number = 0, 'ab', 'b')`,
    'a chunk too few': `DELETE FROM chunks WHERE number = 1`,
    'another revision': `UPDATE snapshots SET revision = 2`,
    'another version': `UPDATE snapshots SET version = 4`,
    'no table': `DROP TABLE chunks`,
  })) {
    it(`gives nothing back of a snapshot with ${what}`, async () => {
      const dir = newFolder();
      const store = openEmbeddedSnapshotStore(dir);
      await store.save('ledger-a', taken(1, ['a', 'bb']));

      const db = new DatabaseSync(join(dir, 'snapshots.db'));
      db.exec(damage);
      db.close();
      expect(await store.load('ledger-a')).to.equal(undefined);
      await store.close();
    });
  }

  it('starts anew when its file is damaged', async () => {
    const dir = newFolder();
    writeFileSync(join(dir, 'snapshots.db'), 'not a database at all'.repeat(1000));
    const store = openEmbeddedSnapshotStore(dir);
    expect(await store.load('ledger-a')).to.equal(undefined);
    await store.save('ledger-a', taken(1, ['a']));
    expect(await store.load('ledger-a')).to.deep.equal(taken(1, ['a']));
    await store.close();
  });
});
