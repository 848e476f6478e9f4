import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Change, CollectionSpec } from '#src/ports/read-store.ts';
import { dataFolders } from '#test/contracts/samples.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;
const notes: CollectionSpec = {
  name: 'note',
  version: 1,
  keys: { tenantId: 'text' },
  indexes: [['tenantId']],
};
const everything = { where: { tenantId: 'n1' }, order: 'asc', limit: 100_000 } as const;
const nothing = { ...everything, filters: [{ metadata: 'a', is: 'b' }] };

/** For a machine that stands still. */
const PATIENCE_MS = 30_000;

const at = (n: number) => String(n).padStart(8, '0') as Position;
const note = (n: number): Change => ({
  position: at(n),
  put: { id: String(n), born: n, keys: { tenantId: 'n1' }, body: '{"metadata":{"a":"c\\\\"}}' },
});
const noted = (count: number) => Array.from({ length: count }, (_, i) => note(i + 1));
const write = async (dir: string, changes: readonly Change[]) => {
  const writer = openEmbeddedReadStoreWriter(dir);
  await writer.open(LOG, [notes]);
  await writer.apply([{ collection: 'note', changes, checkpoint: START }]);
  await writer.close();
};
const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('embedded read store', () => {
  const newFolder = dataFolders();

  it('answers before its file exists, and sees the file when it comes', async () => {
    const dir = newFolder();
    const reader = openEmbeddedReadStore(dir, READ_WORKER, { budgetMs: PATIENCE_MS });
    expect(await reader.list(notes, everything)).to.deep.equal([]);
    expect(reader.logId).to.equal(undefined);

    await write(dir, noted(1));
    expect(await reader.get(notes, { id: '1' })).to.include({ born: 1 });
    expect(reader.logId).to.equal(LOG);
    await reader.close();
  });

  it('ends a query that takes too long, and answers others meanwhile', async () => {
    const dir = newFolder();
    await write(dir, noted(20_000));
    const reader = openEmbeddedReadStore(dir, READ_WORKER, {
      budgetMs: 1,
      deadlineMs: PATIENCE_MS,
    });
    const [slow, quick] = await Promise.all([
      rejection(reader.list(notes, nothing)),
      reader.get(notes, { id: '7' }),
    ]);
    expect(slow).to.be.instanceOf(TimeBudgetExceeded);
    expect(slow).to.have.property('message', 'Reading note took more than its 1 ms.');
    expect(quick).to.include({ id: '7' });
    await reader.close();
  });

  it('takes a thread that does not answer for dead, and starts another', async () => {
    const dir = newFolder();
    await write(dir, noted(1));
    const reader = openEmbeddedReadStore(dir, READ_WORKER, { deadlineMs: 0 }); // No thread starts that fast.
    for (const _ of [1, 2]) {
      expect(await rejection(reader.get(notes, { id: '1' }))).to.be.instanceOf(Unavailable);
    }
    await reader.close();
  });

  it('lets a thread that starts slowly serve later questions', async () => {
    const dir = newFolder();
    await write(dir, noted(1));
    const entryFile = join(dir, 'slow.mjs');
    const slowly = 'await new Promise((resolve) => setTimeout(resolve, 1000));';
    writeFileSync(entryFile, `${slowly} await import(${JSON.stringify(READ_WORKER.href)});`);
    const reader = openEmbeddedReadStore(dir, pathToFileURL(entryFile), { deadlineMs: 500 });
    expect(await rejection(reader.get(notes, { id: '1' }))).to.be.instanceOf(Unavailable);
    let found: unknown;
    for (let asked = 0; found === undefined && asked < 20; asked += 1) {
      found = await reader.get(notes, { id: '1' }).catch(() => sleep(50));
    }
    expect(found).to.include({ id: '1' });
    await reader.close();
  });

  it('refuses questions while no thread can be started', async () => {
    const reader = openEmbeddedReadStore(newFolder(), new URL('https://localhost/none.js'));
    for (const _ of [1, 2]) {
      expect(await rejection(reader.get(notes, { id: '1' }))).to.be.instanceOf(Unavailable);
    }
    await reader.close();
  });

  it('refuses what is asked after it was closed', async () => {
    const reader = openEmbeddedReadStore(newFolder(), READ_WORKER);
    const asked = rejection(reader.get(notes, { id: '1' }));
    await reader.close();
    expect(await asked).to.be.instanceOf(Unavailable);
    expect(await rejection(reader.get(notes, { id: '1' }))).to.be.instanceOf(Unavailable);
  });

  it('never claims more than its rows hold, whenever the process is killed', async () => {
    const dir = newFolder();
    for (let kill = 0; kill < 3; kill += 1) {
      await killedWhileWriting(dir, kill * 15);
      const writer = openEmbeddedReadStoreWriter(dir);
      const checkpoint = (await writer.open(LOG, [notes])).get('note')?.checkpoint ?? START;
      await writer.close();
      const reader = openEmbeddedReadStore(dir, READ_WORKER, { budgetMs: PATIENCE_MS });
      const rows = await reader.list(notes, everything);
      await reader.close();
      expect(rows).to.have.length(Number(checkpoint));
      expect(rows).to.not.have.length(0);
    }
  });
});

/** A process that writes batch after batch from where it finds the checkpoint, until it is killed. */
async function killedWhileWriting(dir: string, afterMs: number): Promise<void> {
  const program = `
    import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
    const [notes, logId, dir] = ${JSON.stringify([notes, LOG, dir])};
    const at = (n) => String(n).padStart(8, '0');
    const writer = openEmbeddedReadStoreWriter(dir);
    let n = Number((await writer.open(logId, [notes])).get('note').checkpoint);
    for (let batch = 0; ; batch += 1) {
      const changes = Array.from({ length: 50 }, () => {
        n += 1;
        return { position: at(n), put: { id: String(n), born: n, keys: { tenantId: 'n1' }, body: '{}' } };
      });
      await writer.apply([{ collection: 'note', changes, checkpoint: at(n) }]);
      if (batch === 5) console.log('under way');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await gone;
}
