import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { MemoryCheckpointStore } from '#test/doubles/memory/checkpoint-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { checkpoint, checkpointStoreContract } from './checkpoint-store.contract.ts';
import { dataFolders } from './samples.ts';

describe('checkpoint store: memory', () => {
  checkpointStoreContract(async () => new MemoryCheckpointStore(systemScheduler));
});

describe('checkpoint store: embedded', () => {
  const newFolder = dataFolders();

  checkpointStoreContract(async () => openEmbeddedCheckpointStore(newFolder()));

  it('keeps them when it is closed and opened again', async () => {
    const dir = newFolder();
    const before = openEmbeddedCheckpointStore(dir);
    await before.save('transaction.posted', checkpoint(7, 1), 1);
    await before.close();

    const store = openEmbeddedCheckpointStore(dir);
    expect(Object.fromEntries(await store.load())).to.deep.equal({
      'transaction.posted': checkpoint(7, 1),
    });
    await store.close();
  });

  it('says so when its file is damaged, rather than starting from nothing', () => {
    const dir = newFolder();
    writeFileSync(join(dir, 'relay.db'), 'not a database at all'.repeat(1000));
    expect(() => openEmbeddedCheckpointStore(dir)).to.throw(Unavailable);
  });
});
