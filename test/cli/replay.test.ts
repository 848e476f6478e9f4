import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import { openBook, posted, transfer, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { launchQuipu, quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Server,
} from '#test/support/server.ts';

const NTH_TRANSACTION = 'SELECT row FROM rows_{transaction} ORDER BY row LIMIT 1 OFFSET 7';

describe('quipu replay', function () {
  this.timeout(120_000);
  let server: Server;
  const client = clientOf(() => server);
  const folder = temporaryFolder();
  const sound = join(folder, 'sound');
  let book: Book;
  before(async () => {
    server = await startServer();
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });
    for (let n = 1; n <= 30; n += 1) await pay({ 'X-Idempotency': `key ${n}`.replace(' ', '-') });
    await until(isIndexed, 30_000, 'the index, which follows a little later');
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(folder);
    removeFolder(server.dataDir);
  });

  const isIndexed = (): boolean => {
    const db = new DatabaseSync(join(server.dataDir, 'index.db'), { readOnly: true });
    const { count } = db.prepare('SELECT count(*) AS count FROM entries').get() as {
      count: number;
    };
    db.close();
    return count >= 30;
  };
  const pay = (headers = {}) => posted(client, book.at, transfer('@alice', '@bob', '1'), headers);

  it('finds that everything follows from the log, while the server runs and writes', async () => {
    const done = new AbortController();
    const writer = (async () => {
      while (!done.signal.aborted) await pay();
    })();
    const said = await quipu(['replay', server.dataDir]);
    done.abort();
    await writer;
    expect(said).to.include({ code: 0, stderr: '' });
    expect(said.stdout).to.match(/^organization: 1 item equal$/m);
    expect(said.stdout).to.match(/^account: 3 items equal$/m);
    expect(said.stdout).to.match(/^transaction: \d{2,} items equal$/m);
    expect(said.stdout).to.match(/^journal index: \d+ items equal$/m);
    expect(said.stdout).to.match(/Equal: everything follows from the log\.\n$/);
  });

  it('removes what it has built when it is interrupted', async () => {
    const temporary = temporaryFolder();
    const { child, said } = launchQuipu(['replay', server.dataDir], '', { TMPDIR: temporary });
    await until(() => readdirSync(temporary).length > 0, 30_000, 'a temporary folder');
    child.kill('SIGINT');
    await said;
    expect(readdirSync(temporary)).to.deep.equal([]);
    removeFolder(temporary);
  });

  it('compares snapshots with a fold up to where they were taken', async () => {
    const log = openEmbeddedLog(server.dataDir);
    const snapshots = openEmbeddedSnapshotStore(server.dataDir);
    const revision = await takeSnapshot(ledgerDecider as never, `ledger-${book.ledger}`, {
      store: log,
      snapshots,
      scheduler: systemScheduler,
    });
    await Promise.all([log.close(), snapshots.close()]);
    await pay();

    const said = await quipu(['replay', server.dataDir]);
    expect(said).to.include({ code: 0, stderr: '' });
    expect(said.stdout).to.include(
      `snapshot of ledger-${book.ledger}: equal at revision ${revision}`,
    );
  });

  describe('of a folder that is not complete', () => {
    before(copySound);

    it('ends with 2 when there is nothing to compare', async () => {
      const bare = without('bare', 'read.db', 'index.db', 'snapshots.db');
      const said = await quipu(['replay', bare]);
      expect(said).to.include({ code: 2, stdout: '' });
      expect(said.stderr).to.match(
        /^quipu replay: .*bare has no read models .*nothing was compared/,
      );
    });

    it('ends with 2 when read models are missing, which queries are answered from', async () => {
      const said = await quipu(['replay', without('indexed', 'read.db')]);
      expect(said).to.include({ code: 2 });
      expect(said.stdout).to.include('journal index: ').and.not.to.include('Equal');
      expect(said.stderr).to.include('has no read models of this release: nothing was compared');
    });

    it('ends with 2 when the log holds no events', async () => {
      const empty = temporaryFolder();
      const store = await openEmbeddedEventStore(empty, { ids: systemIds(), onFatal: () => {} });
      await store.close();
      const said = await quipu(['replay', empty]);
      expect(said).to.include({ code: 2, stdout: '' });
      expect(said.stderr).to.match(/The log of .* holds no events: nothing was compared\.\n$/);
      removeFolder(empty);
    });

    it('names what was not compared, as no server has built it yet', async () => {
      const said = await quipu(['replay', without('unindexed', 'index.db')]);
      expect(said).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.match(
        /^Equal: everything that was .* Not compared: journal index\.$/m,
      );
    });
  });

  /** A copy of the sound folder that lacks some of its files. */
  function without(name: string, ...files: readonly string[]): string {
    const dir = join(folder, name);
    cpSync(sound, dir, { recursive: true });
    for (const file of files) rmSync(join(dir, file));
    return dir;
  }

  /** The folder as it is when nobody uses it. */
  async function copySound(): Promise<void> {
    await stopServer(server);
    cpSync(server.dataDir, sound, { recursive: true });
    server = await startServer({ dataDir: server.dataDir });
  }

  describe('names the first difference', () => {
    type Change = readonly [what: string, file: string, sql: string, says: RegExp];
    const rows = (db: DatabaseSync, collection: string): number =>
      Number(
        db
          .prepare(`SELECT n FROM generation WHERE collection = ? AND state = 'live'`)
          .get(collection)?.['n'],
      );
    const cases: readonly Change[] = [
      [
        'of a body',
        'read.db',
        `UPDATE rows_{account} SET body = replace(body, '@bob', '@eve') WHERE body LIKE '%"@bob"%'`,
        /account: row [-0-9a-f]{36} is .*"@eve.*, but .*"@bob/,
      ],
      [
        'of a key',
        'read.db',
        `UPDATE rows_{account} SET key_createdAt = '2020' WHERE row = 1`,
        /account: row .* is .*2020/,
      ],
      [
        'of a place in the list',
        'read.db',
        `UPDATE rows_{transaction} SET born = born + 1 WHERE row = (${NTH_TRANSACTION})`,
        /transaction: row .* is .*"born":\d+/,
      ],
      [
        'of the event that has the body',
        'read.db',
        `UPDATE rows_{transaction} SET position = 3 WHERE row = (${NTH_TRANSACTION})`,
        /transaction: row .* is .*"position":3,/,
      ],
      [
        'of a balance',
        'read.db',
        `UPDATE recent_{balance} SET value_available = '9' WHERE row = 2`,
        /balance: row .* is .*"available":"9"/,
      ],
      [
        'of a row that is gone',
        'read.db',
        `DELETE FROM rows_{transaction} WHERE row = (${NTH_TRANSACTION})`,
        /transaction: row .* was found where row/,
      ],
      [
        'of something too many',
        'index.db',
        `INSERT INTO journals (name, reached) VALUES ('zz', 1)`,
        /journal index: the end of zz does not follow from the log/,
      ],
      [
        'of something missing at the end',
        'index.db',
        `DELETE FROM journals WHERE name LIKE 'organization-%'`,
        /journal index: the end of organization-.* is missing/,
      ],
      [
        'of an entry under an account',
        'read.db',
        'UPDATE entries_{transaction} SET ordinal = 3 WHERE ordinal = 2',
        /transaction: entry of .* is .*"ordinal":3/,
      ],
      [
        'of a key in the index',
        'index.db',
        `UPDATE entries SET revision = 0 WHERE key = 'key-7'`,
        /journal index: idempotency key-7 of ledger-.* is revision 0, but revision/,
      ],
      [
        'of a transaction missing in the index',
        'index.db',
        'DELETE FROM entries WHERE kind = 2 AND revision = 9',
        /journal index: transaction .* was found where/,
      ],
      [
        'of a snapshot',
        'snapshots.db',
        `UPDATE chunks SET body = replace(body, '@bob', '@eve') WHERE body LIKE '%@bob%'`,
        /snapshot of ledger-.*: it is damaged/,
      ],
      [
        'of a log that is not the one they were built from',
        'log.db',
        `UPDATE events SET data = replace(data, '"legalName":"Andes', '"legalName":"Alps')`,
        /organization: row .* is .*Andes.*, but .*Alps/,
      ],
    ];
    for (const [what, file, sql, says] of cases) {
      it(what, async () => {
        const changed = join(folder, `changed ${what}`);
        cpSync(sound, changed, { recursive: true });
        const db = new DatabaseSync(join(changed, file));
        const { changes } = db
          .prepare(sql.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(rows(db, name))))
          .run();
        db.close();
        expect(Number(changes), 'changes').to.be.above(0);
        const said = await quipu(['replay', changed]);
        expect(said).to.include({ code: 1, stderr: '' });
        expect(said.stdout)
          .to.match(/^Different: .*\n$/m)
          .and.to.match(says);
        expect(said.stdout).not.to.include('Equal:');
      });
    }

    it('of a snapshot that is whole and wrong', async () => {
      const changed = join(folder, 'wrong snapshot');
      cpSync(sound, changed, { recursive: true });
      const journal = `ledger-${book.ledger}`;
      const snapshots = openEmbeddedSnapshotStore(changed);
      const snapshot = (await snapshots.load(journal))!;
      const chunks = snapshot.chunks.map((chunk) => chunk.replace('"@bob"', '"@eve"'));
      await snapshots.save(journal, { ...snapshot, chunks });
      await snapshots.close();
      const said = await quipu(['replay', changed]);
      expect(said.code).to.equal(1);
      expect(said.stdout).to.match(
        /snapshot of ledger-.* at revision \d+: chunk \d+ is .*@eve.*, but .*@bob/,
      );
    });

    it('of a file that is none', async () => {
      const changed = join(folder, 'nonsense');
      cpSync(sound, changed, { recursive: true });
      writeFileSync(join(changed, 'read.db'), 'no database, and long enough to be one. '.repeat(9));
      const said = await quipu(['replay', changed]);
      expect(said.code).to.equal(1);
      expect(said.stdout).to.match(/^Different: a file of .* is damaged/);
    });
  });
});
