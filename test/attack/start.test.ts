import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer, type Server as Listener } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { MAIN, NODE_FLAGS } from '#test/support/programs.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  freePort,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
} from '#test/support/server.ts';
import { got, openBook, posted, transfer } from '#test/e2e/books.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OLD = join(ROOT, 'test', 'upgrades', '0.2.0');

type Ended = Readonly<{ code: number | null; output: string }>;

/** Runs the server until it ends by itself; as user 65534 when modes are to count. */
async function endOf(dataDir: string, asNobody = false): Promise<Ended> {
  const args = [...NODE_FLAGS, MAIN];
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, ...args];
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: '/tmp', DATA_DIR: dataDir, PORT: '0' };
  const child = asNobody
    ? spawn('setpriv', nobody, { env, cwd: '/tmp', timeout: 10_000, killSignal: 'SIGKILL' })
    : spawn(process.execPath, args, { env, cwd: '/tmp', timeout: 10_000, killSignal: 'SIGKILL' });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

function expectRefusal({ code, output }: Ended, expected: number, ...words: string[]): void {
  expect(output).not.to.match(/^ +at /m);
  expect(output.trim().split('\n'), output).to.have.length(1);
  for (const word of words) expect(output).to.contain(word);
  expect(code).to.equal(expected);
}

describe('a start that cannot be', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  after(() => removeFolder(folder));

  it('names a folder that cannot be made', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expectRefusal(await endOf(file), 78, file, 'not a folder');
    expectRefusal(await endOf(join(file, 'data')), 78, join(file, 'data'), 'not a folder');
    expectRefusal(await endOf('/proc/quipu/data'), 78, '/proc/quipu');
  });

  it('names a folder that its user may not use', async () => {
    const open = join('/tmp', `quipu-life-${String(process.pid)}`);
    mkdirSync(join(open, 'data'), { recursive: true });
    try {
      chmodSync(open, 0o755);
      chmodSync(join(open, 'data'), 0o700);
      expectRefusal(await endOf(join(open, 'data'), true), 78, join(open, 'data'), 'EACCES');
      chmodSync(join(open, 'data'), 0o755);
      expectRefusal(await endOf(join(open, 'data'), true), 78, 'lock.db', 'EACCES');
      expectRefusal(await endOf(join(open, 'other'), true), 78, join(open, 'other'), 'EACCES');
    } finally {
      removeFolder(open);
    }
  });

  it('names a damaged lock, and a damaged log', async () => {
    const dir = join(folder, 'damaged');
    cpSync(OLD, dir, { recursive: true });
    writeFileSync(join(dir, 'lock.db'), 'garbage '.repeat(1000));
    expectRefusal(await endOf(dir), 74, join(dir, 'lock.db'), 'damaged', 'remove it');
    writeFileSync(join(dir, 'lock.db'), '');
    writeFileSync(join(dir, 'log.db'), 'garbage '.repeat(1000));
    expectRefusal(await endOf(dir), 74, join(dir, 'log.db'), 'damaged');
  });

  it('names a log that a newer release wrote', async () => {
    const dir = join(folder, 'newer');
    cpSync(OLD, dir, { recursive: true });
    const log = new DatabaseSync(join(dir, 'log.db'));
    log.exec('UPDATE log SET format = 3');
    log.close();
    expectRefusal(await endOf(dir), 74, join(dir, 'log.db'), 'a newer release wrote it');
  });

  describe('for its disk', () => {
    const disk = join(folder, 'disk');
    before(() => {
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
      cpSync(OLD, join(disk, 'data'), { recursive: true });
    });
    after(() => execFileSync('umount', [disk]));
    const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, disk]);
    const fill = () => {
      const { bavail, bsize } = statfsSync(disk);
      if (bavail === 0) return;
      try {
        writeFileSync(join(disk, `fill-${String(Date.now())}`), Buffer.alloc(bavail * bsize));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // The server was faster.
      }
    };
    const clear = () => {
      for (const name of readdirSync(disk))
        if (name.startsWith('fill')) removeFolder(join(disk, name));
    };

    it('that is read-only; the log can be verified there', async () => {
      remount('ro');
      try {
        expectRefusal(await endOf(join(disk, 'data')), 74, 'lock.db', 'read-only');
        expectRefusal(await endOf(join(disk, 'new')), 74, join(disk, 'new'), 'read-only');
        const { code, stdout } = await quipu(['verify', join(disk, 'data')]);
        expect(stdout).to.contain('Sound: 128 events in 7 journals.');
        expect(code).to.equal(0);
      } finally {
        remount('rw');
      }
    });

    it('that has no byte left', async () => {
      fill();
      try {
        expectRefusal(await endOf(join(disk, 'data')), 74, 'log.db', 'ENOSPC');
        expectRefusal(await endOf(join(disk, 'new')), 74, 'ENOSPC');
      } finally {
        clear();
      }
    });

    it('but one that fills while it runs is read from, says so, and is written to again', async () => {
      mkdirSync(join(disk, 'running'));
      const server = await startServer({ dataDir: join(disk, 'running') });
      const client = clientOf(() => server, { impatient: true });
      try {
        const book = await openBook(client, { accounts: ['@alice'] });
        await posted(client, book.at, transfer('@external/BRL', '@alice', '5'));
        await got(client, `${book.at}/accounts/alias/%40alice/balances`);
        const ready = async () => (await client.get('/readyz')).text;
        fill();
        await until(
          async () => (await ready()).includes('writes are refused, reads go on'),
          10_000,
          'full',
        );
        const path = `${book.at}/transactions/json`;
        const again = transfer('@external/BRL', '@alice', '7');
        const refused = await client.post(path, again, { 'X-Idempotency': 'full' });
        expect(refused.status).to.equal(503);
        expect(refused.headers['retry-after']).to.be.a('string');
        const balances = await client.get(`${book.at}/accounts/alias/%40alice/balances`);
        expect(balances.status).to.equal(200);
        expect(balances.text).to.contain('"available":"5"');
        clear();
        await until(
          async () => !(await ready()).includes('writes are refused'),
          10_000,
          'room again',
        );
        const done = await client.post(path, again, { 'X-Idempotency': 'full' });
        expect(done.status).to.equal(201);
        expect(done.headers).not.to.have.property('x-idempotency-replayed', 'true');
        expect((await quipu(['verify', server.dataDir])).code).to.equal(0);
      } finally {
        client.close();
        clear();
        await stopServer(server);
      }
    });
  });

  it('leaves files that only their user can read, also those of an earlier release', async () => {
    const dir = join(folder, 'private', 'data');
    cpSync(OLD, dir, { recursive: true });
    rmSync(join(dir, 'expected.json'));
    chmodSync(dir, 0o755);
    for (const name of readdirSync(dir)) chmodSync(join(dir, name), 0o644);
    const server = await startServer({ dataDir: dir });
    try {
      expect(statSync(dir).mode & 0o777).to.equal(0o700);
      const names = readdirSync(dir).filter((name) => name.includes('.db'));
      expect(names).to.include.members(['log.db', 'log.db-wal', 'lock.db', 'read.db']);
      for (const name of names)
        expect(statSync(join(dir, name)).mode & 0o777, name).to.equal(0o600);
    } finally {
      await stopServer(server);
    }
    const left = readdirSync(dir);
    expect(left).to.include.members(['read.db.seal', 'index.db.seal']);
    for (const name of left) expect(statSync(join(dir, name)).mode & 0o777, name).to.equal(0o600);
  });
});

describe('a start that waits for its event store', function () {
  this.timeout(60_000);
  let listener: Listener;
  before(() => (listener = createServer((socket) => socket.on('error', () => undefined))));
  after(() => listener.close());

  for (const what of ['is not there', 'is silent']) {
    it(`listens while it ${what}, says what it waits for, and ends on SIGTERM`, async () => {
      const port = await freePort();
      if (what === 'is silent')
        await new Promise<void>((done) => listener.listen(port, '127.0.0.1', done));
      const url = `esdb://127.0.0.1:${String(port)}?tls=false`;
      const server = await launchServer({ env: { EVENT_STORE_URL: url } });
      const base = `http://127.0.0.1:${String(server.port)}`;
      const isUp = () =>
        fetch(`${base}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(isUp, 5000, 'listens');
      const ready = await fetch(`${base}/readyz`);
      expect(ready.status).to.equal(503);
      expect(await ready.text()).to.contain(url);
      const refused = await fetch(`${base}/v1/organizations`);
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('2');
      expect(refused.headers.get('content-type')).to.equal('application/problem+json');
      await until(
        () => server.output().includes(`Event store ${url} is unreachable`),
        5000,
        'said',
      );
      const fromMs = performance.now();
      expect(await stopServer(server)).to.equal(0);
      expect(performance.now() - fromMs).to.be.below(5000);
      expect(server.output()).not.to.contain('TypeError');
      removeFolder(server.dataDir);
    });
  }
});
