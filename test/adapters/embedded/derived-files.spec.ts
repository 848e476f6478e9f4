import { expect } from 'chai';
import {
  closeSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lifeOf, newDerivedFlags } from '#src/adapters/embedded/derived-flags.ts';
import { openEmbeddedJournalIndexReader } from '#src/adapters/embedded/journal-index-reader.ts';
import { openEmbeddedJournalIndex } from '#src/adapters/embedded/journal-index.ts';
import { LostLog, mustHaveItsLog } from '#src/adapters/embedded/lost-log.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START } from '#src/ports/event-store.ts';
import { batch, known, position } from '#test/contracts/journal-index.contract.ts';
import { dataFolders, newUuid } from '#test/contracts/samples.ts';

const logId = newUuid();
const KEYS = 3000;

describe('derived files of a data folder', () => {
  const newFolder = dataFolders();

  /** A folder with an index of some pages, that was closed in good order. */
  async function filled(): Promise<string> {
    const dir = newFolder();
    const index = openEmbeddedJournalIndex(dir, logId);
    const entries = Array.from({ length: KEYS }, (_, n) => known(`key ${n}`, n));
    await index.apply({ ...batch(entries, 9), reached: new Map([['ledger-a', KEYS]]), hash: 'h' });
    await index.close();
    return dir;
  }

  /** Opens the index of a folder. Answers where it stands, and what was told. */
  async function reopened(dir: string) {
    const reasons: string[] = [];
    const index = openEmbeddedJournalIndex(dir, logId, { told: (reason) => reasons.push(reason) });
    const checkpoint = await index.checkpoint();
    await index.close();
    return { checkpoint, reasons };
  }

  it('are used as they are when nothing has happened to them', async () => {
    expect(await reopened(await filled())).to.deep.equal({ checkpoint: position(9), reasons: [] });
  });

  it('are used as they are after a crash, when every entry is there', async () => {
    const dir = await filled();
    rmSync(join(dir, 'index.db.seal'));
    expect(await reopened(dir)).to.deep.equal({ checkpoint: position(9), reasons: [] });
  });

  for (const { how, damage } of [
    {
      how: 'a bit of a sealed file has flipped',
      damage: (path: string) => overwrite(path, 20_000),
    },
    {
      how: 'a sealed file was cut',
      damage: (path: string) => truncateSync(path, statSync(path).size - 1),
    },
    { how: 'a sealed file is gone', damage: (path: string) => rmSync(path) },
    {
      how: 'an unsealed file was cut',
      damage(path: string) {
        rmSync(`${path}.seal`);
        truncateSync(path, statSync(path).size - 16_384);
      },
    },
    {
      how: 'an entry is lost',
      damage: (path: string) => run(path, `DELETE FROM entries WHERE key = 'key 7'`),
    },
    {
      how: 'an entry names another event',
      damage: (path: string) => run(path, `UPDATE entries SET revision = 8 WHERE key = 'key 7'`),
    },
    {
      how: 'it claims to have come further in a journal',
      damage: (path: string) => run(path, 'UPDATE journals SET reached = reached + 1'),
    },
    {
      how: 'one entry stands for another',
      damage: (path: string) => run(path, `UPDATE entries SET key = 'kez 7' WHERE key = 'key 7'`),
    },
  ]) {
    it(`are built again, which is told, when ${how}`, async () => {
      const dir = await filled();
      damage(join(dir, 'index.db'));
      const { checkpoint, reasons } = await reopened(dir);
      expect(checkpoint).to.equal(START);
      expect(reasons).to.have.length(1);
    });
  }

  it('answer no look-up before their owner has checked them, nor after one was found wrong', async () => {
    const dir = await filled();
    const flags = newDerivedFlags();
    const reader = openEmbeddedJournalIndexReader(dir, logId, flags);
    const asking = reader.find('ledger-a', 'idempotency', ['key 7'], KEYS);
    const owner = openEmbeddedJournalIndex(dir, logId, { flags });
    expect([...(await asking)]).to.deep.equal([['key 7', 7]]);

    await reader.doubt('it leads nowhere');
    expect(lifeOf(flags, 'index')).to.equal(0);
    expect(await owner.flaw()).to.be.a('string');
    await owner.close();
    expect(existsSync(join(dir, 'index.db.seal')), 'a seal').to.equal(false);

    const next = openEmbeddedJournalIndex(dir, logId, { flags });
    const failure = await reader
      .find('ledger-a', 'idempotency', ['key 7'], KEYS)
      .catch((error: unknown) => error);
    expect(failure, 'it is not built that far').to.be.instanceOf(Unavailable);
    await Promise.all([reader.close(), next.close()]);
  });

  it('keep a folder from starting when its log is gone', async () => {
    const empty = newFolder();
    expect(() => mustHaveItsLog(empty)).not.to.throw();
    const dir = await filled();
    expect(() => mustHaveItsLog(dir)).to.throw(LostLog, /log\.db is gone.*index\.db/);
  });
});

function overwrite(path: string, at: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from([0xa5]), 0, 1, at);
  closeSync(file);
}

/** Changes a file as if it had always been so: no seal tells. */
function run(path: string, sql: string): void {
  rmSync(`${path}.seal`);
  const db = new DatabaseSync(path);
  expect(Number(db.prepare(sql).run().changes)).to.be.above(0);
  db.close();
}
