import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedJournalIndexReader } from '#src/adapters/embedded/journal-index-reader.ts';
import { openEmbeddedJournalIndex } from '#src/adapters/embedded/journal-index.ts';
import { MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import { batch, journalIndexContract, known, position } from './journal-index.contract.ts';
import { dataFolders, newUuid } from './samples.ts';

describe('journal index: memory', () => {
  journalIndexContract(async () => new MemoryJournalIndex({ scheduler: systemScheduler }));
});

describe('journal index: embedded', () => {
  const newFolder = dataFolders();
  const logId = newUuid();

  journalIndexContract(async () => openEmbeddedJournalIndex(newFolder(), logId));

  const key = async (index: JournalIndex) =>
    (await index.find('ledger-a', 'idempotency', ['key'])).get('key');

  async function filled(): Promise<string> {
    const dir = newFolder();
    const index = openEmbeddedJournalIndex(dir, logId);
    await index.apply({ ...batch([known('key', 7)], 9), reached: new Map([['ledger-a', 7]]) });
    await index.close();
    return dir;
  }

  it('keeps what it holds when it is closed and opened again', async () => {
    const index = openEmbeddedJournalIndex(await filled(), logId);
    expect(await key(index)).to.equal(7);
    expect(await index.indexed('ledger-a')).to.equal(7);
    expect(await index.checkpoint()).to.equal(position(9));
    await index.close();
  });

  it('keeps nothing of a batch that failed', async () => {
    const index = openEmbeddedJournalIndex(newFolder(), logId);
    const bad = { ...known('other', 2), revision: 'two' as unknown as number };
    const failure = await index
      .apply(batch([known('key', 1), bad], 1))
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Unavailable);
    await index.apply(batch([known('third', 3)], 2));
    expect(await key(index)).to.equal(undefined);
    expect(await index.checkpoint()).to.equal(position(2));
    await index.close();
  });

  it('forgets everything when it belongs to another log', async () => {
    const index = openEmbeddedJournalIndex(await filled(), newUuid());
    expect(await key(index)).to.equal(undefined);
    expect(await index.indexed('ledger-a')).to.equal(NONE);
    expect(await index.checkpoint()).to.equal(START);
    await index.close();
  });

  it('starts anew when its file is damaged', async () => {
    const dir = await filled();
    writeFileSync(join(dir, 'index.db'), 'not a database at all'.repeat(1000));
    const index = openEmbeddedJournalIndex(dir, logId);
    expect(await index.checkpoint()).to.equal(START);
    await index.apply(batch([known('key', 1)]));
    expect(await key(index)).to.equal(1);
    await index.close();
  });

  describe('opened for reading', () => {
    it('is empty until the index is there, and then shows what is in it', async () => {
      const dir = newFolder();
      const reader = openEmbeddedJournalIndexReader(dir, logId);
      expect(await key(reader)).to.equal(undefined);
      expect(await reader.checkpoint()).to.equal(START);

      const index = openEmbeddedJournalIndex(dir, logId);
      expect(await reader.checkpoint()).to.equal(START);
      await index.apply(batch([known('key', 1)]));
      expect(await key(reader)).to.equal(1);
      expect(await reader.checkpoint()).to.equal(position(1));
      await Promise.all([reader.close(), index.close()]);
    });

    it('shows nothing of the index of another log', async () => {
      const dir = await filled();
      const other = newUuid();
      const reader = openEmbeddedJournalIndexReader(dir, other);
      expect(await key(reader)).to.equal(undefined);

      const index = openEmbeddedJournalIndex(dir, other);
      await index.apply(batch([known('key', 2)]));
      expect(await key(reader)).to.equal(2);
      await Promise.all([reader.close(), index.close()]);
    });
  });
});
