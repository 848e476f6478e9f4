import { expect } from 'chai';
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { account, keyed, openKeyedBook, paid, type KeyedBook } from './keyed-book.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import {
  eventCount,
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';

/** What is derived from the log is never trusted further than the log confirms. */
describe('derived data', function () {
  this.timeout(300_000);
  let dataDir: string;
  let server: Server;
  let client: Client;

  beforeEach(() => {
    dataDir = temporaryFolder();
    client = clientOf(() => server, { timeoutMs: 60_000 });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.log(server.output());
    client.close();
    await killServer(server);
    removeFolder(dataDir);
  });

  const start = async (): Promise<void> => {
    server = await startServer({ dataDir });
  };
  const stop = async (): Promise<void> => {
    expect(await stopServer(server)).to.equal(0);
  };
  const file = (name: string): string => join(dataDir, name);

  /** A book with keyed transactions, on a server that has stopped in good order. */
  async function written(count: number): Promise<KeyedBook> {
    await start();
    const book = await openKeyedBook(client);
    for (let n = 0; n < count; n += 1) await keyed(client, book, n);
    expect(await paid(client, book)).to.equal(String(count));
    await stop();
    return book;
  }

  /** Every key that was used is answered as it was the first time, and nothing is executed. */
  async function repeatAll(book: KeyedBook, count: number): Promise<void> {
    const before = await eventCount({ dataDir });
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => keyed(client, book, n)),
    );
    for (const { headers } of answers) expect(headers['x-idempotency-replayed']).to.equal('true');
    expect(await eventCount({ dataDir }), 'events appended by repeats').to.equal(before);
    expect(await paid(client, book)).to.equal(String(count));
  }

  describe('beside an older log', () => {
    it('is built again, loudly: nothing is paid twice, and what is new is found', async () => {
      const book = await written(20);
      const older = join(temporaryFolder(), 'log.db');
      copyFileSync(file('log.db'), older);
      await start();
      for (let n = 20; n < 60; n += 1) await keyed(client, book, n);
      expect(await paid(client, book)).to.equal('60');
      await stop();
      rmSync(file('log.db'));
      copyFileSync(older, file('log.db'));

      await start();
      const made = [];
      for (let n = 100; n < 105; n += 1) made.push(await keyed(client, book, n));
      for (const answer of made) {
        const { id } = answer.json() as { id: string };
        expect((await client.get(`${book.at}/transactions/${id}`)).status).to.equal(200);
      }
      expect(await paid(client, book)).to.equal('25');
      expect(server.output()).to.match(/read models are built again.*older copy/);
      expect(server.output()).to.match(/journal index is built again.*older copy/);
      await stop();

      await start();
      const events = await eventCount({ dataDir });
      for (let n = 100; n < 105; n += 1) {
        const again = await keyed(client, book, n);
        expect(again.text).to.equal(made[n - 100]!.text);
      }
      for (let n = 0; n < 20; n += 1) await keyed(client, book, n);
      expect(await eventCount({ dataDir })).to.equal(events);
      expect(await paid(client, book)).to.equal('25');
    });

    it('of which it says another event at the same place, is built again', async () => {
      const book = await written(20);
      const folder = temporaryFolder();
      for (const name of readdirSync(dataDir)) copyFileSync(file(name), join(folder, name));
      await start();
      for (let n = 20; n < 30; n += 1) await keyed(client, book, n);
      expect(await paid(client, book)).to.equal('30'); // The files hold what the log will not.
      await stop();
      copyFileSync(file('index.db'), join(folder, 'newer-index.db'));
      copyFileSync(file('read.db'), join(folder, 'newer-read.db'));
      for (const name of ['log.db', 'index.db', 'read.db', 'index.db.seal', 'read.db.seal']) {
        rmSync(file(name), { force: true });
      }
      copyFileSync(join(folder, 'log.db'), file('log.db'));
      await start();
      for (let n = 30; n < 60; n += 1) await keyed(client, book, n);
      await stop();
      for (const name of ['index', 'read']) {
        rmSync(file(`${name}.db.seal`), { force: true });
        copyFileSync(join(folder, `newer-${name}.db`), file(`${name}.db`));
      }

      await start();
      expect(await paid(client, book)).to.equal('50');
      expect(server.output()).to.match(/the log holds another event/);
      const events = await eventCount({ dataDir });
      for (let n = 30; n < 60; n += 1) await keyed(client, book, n);
      expect(await eventCount({ dataDir })).to.equal(events);
    });
  });

  describe('that is damaged', () => {
    for (const { how, damage } of [
      {
        how: 'cut inside its last page',
        damage: (path: string) => cut(path, statSync(path).size - 7000),
      },
      { how: 'cut to a tenth', damage: (path: string) => cut(path, statSync(path).size * 0.1) },
      { how: 'cut to nothing', damage: (path: string) => cut(path, 0) },
      { how: 'with 8 flipped bits', damage: (path: string) => flip(path, 8, 7) },
      { how: 'with one flipped bit', damage: (path: string) => flip(path, 1, 3) },
    ]) {
      it(`never executes a key twice, and answers each: an index ${how}`, async () => {
        const book = await written(250);
        damage(file('index.db'));
        await start();
        await repeatAll(book, 250);
        expect(server.output()).to.match(/journal index are built again/);
        await stop();
      });

      it(`shows the rows of the log: read models ${how}`, async () => {
        const book = await written(120);
        damage(file('read.db'));
        await start();
        expect(await paid(client, book)).to.equal('120');
        expect((await account(client, book)).status).to.equal(200);
        expect(server.output()).to.match(/read models are built again/);
        await stop();
      });
    }

    it('after a kill: lost entries of the index are found, and no key is executed twice', async () => {
      await start();
      const book = await openKeyedBook(client);
      for (let n = 0; n < 250; n += 1) await keyed(client, book, n);
      expect(await paid(client, book)).to.equal('250');
      await new Promise((resolve) => setTimeout(resolve, 1500)); // The index is written half a second later.
      await killServer(server);
      const db = new DatabaseSync(file('index.db'));
      const { changes } = db
        .prepare(
          `DELETE FROM entries WHERE kind = 1 AND key IN (SELECT key FROM entries WHERE kind = 1 LIMIT 3)`,
        )
        .run();
      db.close();
      expect(changes).to.equal(3);
      await start();
      await repeatAll(book, 250);
      expect(server.output()).to.match(/its entries are not those that were written/);
    });

    it('while the server runs: what the index lacks is noticed, and it is built again', async () => {
      await start();
      const book = await openKeyedBook(client);
      for (let n = 0; n < 250; n += 1) await keyed(client, book, n);
      expect(await paid(client, book)).to.equal('250');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const db = new DatabaseSync(file('index.db'));
      db.exec('DELETE FROM entries WHERE kind = 1');
      db.close();
      await repeatAll(book, 250);
      expect(server.output()).to.match(/lacks keys that were used/);
    });

    it('while the server runs: read models that are cut are built again', async () => {
      const book = await written(120);
      await start();
      expect(await paid(client, book)).to.equal('120');
      cut(file('read.db'), 40_000);
      for (let n = 120; n < 140; n += 1) await keyed(client, book, n);
      const until = performance.now() + 30_000;
      let shown = '';
      while (shown !== '140' && performance.now() < until) shown = await paid(client, book);
      expect(shown).to.equal('140');
    });
  });

  describe('without its log', () => {
    for (const { how, lose } of [
      { how: 'gone', lose: () => rmSync(file('log.db')) },
      { how: 'empty', lose: () => cut(file('log.db'), 0) },
    ]) {
      it(`keeps the server from starting: a log that is ${how}`, async () => {
        await written(5);
        lose();
        const failing = await launchServer({ dataDir });
        const code = await new Promise((resolve) => failing.child.once('exit', resolve));
        expect(code).to.equal(78);
        expect(failing.output())
          .to.contain('index.db')
          .and.contain('read.db')
          .and.contain('log.db');
        for (const name of [
          'index.db',
          'read.db',
          'index.db.seal',
          'read.db.seal',
          'log.db',
          'snapshots.db',
        ]) {
          rmSync(file(name), { force: true });
        }
        await start(); // Moved away, it is an empty bank.
      });
    }
  });
});

function cut(path: string, bytes: number): void {
  truncateSync(path, Math.floor(bytes));
}

/** Flips bits of bytes that are not 0, the first of them not in the header: what is empty does not count. */
function flip(path: string, bits: number, seed: number): void {
  const handle = openSync(path, 'r+');
  const { size } = statSync(path);
  const byte = Buffer.alloc(1);
  let state = seed;
  for (let done = 0; done < bits;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const at = 4096 + (state % (size - 4096));
    readSync(handle, byte, 0, 1, at);
    if (byte[0] === 0) continue;
    byte[0]! ^= 1 << (done % 8);
    writeSync(handle, byte, 0, 1, at);
    done += 1;
  }
  closeSync(handle);
}
