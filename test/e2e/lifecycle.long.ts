import { expect } from 'chai';
import { once } from 'node:events';
import { copyFileSync, cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { clientOf, type Client } from '#test/support/client.ts';
import { cpuMsOf } from '#test/support/cpu.ts';
import { inFolders } from '#test/support/stores.ts';
import {
  freePort,
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Launch,
  type Server,
} from '#test/support/server.ts';
import {
  createOrganization,
  exactly,
  got,
  openBook,
  ORGANIZATIONS,
  posted,
  sending,
  standing,
  transfer,
  type Book,
} from './books.ts';
import { expectProblem } from './problems.ts';

/** One process after another, mostly on one folder. */
describe('lifecycle', function () {
  this.timeout(120_000);

  const folder = temporaryFolder();
  const started: Server[] = [];
  let server: Server;
  let client: Client;

  async function start(launch: Launch = {}): Promise<Server> {
    server = await startServer({ dataDir: folder, ...launch });
    started.push(server);
    return server;
  }
  before(() => {
    client = clientOf(() => server);
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await killServer(one);
  });
  after(() => {
    client.close();
    removeFolder(folder);
  });

  let book: Book;
  let listed = '';
  const paths = () => [
    ORGANIZATIONS,
    `/v1/organizations/${book.org}/ledgers`,
    `${book.at}/assets`,
    `${book.at}/accounts`,
    `${book.at}/balances`,
    `${book.at}/transactions`,
    `${book.at}/transactions?sort_order=desc&limit=100`,
  ];
  const everything = async () => {
    const texts: string[] = [];
    for (const path of paths()) texts.push(JSON.stringify(await got(client, path)));
    return texts.join('\n');
  };

  it('says on stdout where it is ready', async () => {
    const { readyLine, port } = await start();
    expect(readyLine).to.contain(`http://127.0.0.1:${port}`);
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    for (let n = 0; n < 20; n += 1) {
      const key = { 'X-Idempotency': `k${n}` };
      await posted(client, book.at, transfer('@alice', '@bob', '0.1'), key);
    }
    listed = await everything();
  });

  it('ends with 0 on SIGTERM, and has everything after the next start', async () => {
    await start();
    expect(await everything()).to.equal(listed);
    expect(await stopServer(server)).to.equal(0);
    await start();
    expect(await everything()).to.equal(listed);
  });

  it('has everything after a kill -9', async () => {
    await start();
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
    await killServer(server);
    await start();
    expect(await standing(client, book.at, '@bob')).to.equal('3/0 v21');
    listed = await everything();
  });

  it('finishes what it accepted before SIGTERM, and takes nothing more', async () => {
    await start();
    const before = await standing(client, book.at, '@bob');
    const body = JSON.stringify(transfer('@alice', '@bob', '1'));
    const head =
      `POST ${book.at}/transactions/json HTTP/1.1\r\nHost: localhost\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const slow = connect(server.port, '127.0.0.1');
    let heard = '';
    slow.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await once(slow, 'connect');
    slow.write(head + body.slice(0, 10));
    await client.get('/health'); // The server has read at least as far as this came after.

    const busy = Array.from({ length: 50 }, () =>
      client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '0.001')).then(
        ({ status }) => status,
        () => 'refused',
      ),
    );
    const first = await Promise.race(busy);
    expect(first).to.equal(201);
    const fromMs = performance.now();
    server.child.kill('SIGTERM');
    await until(() => isClosed(server.port), 30_000, 'the port to be closed');
    slow.write(body.slice(10));
    const tookMs = performance.now() - fromMs;
    const statuses = await Promise.all(busy);
    await until(() => server.child.exitCode !== null, 30_000, 'the end of the process');
    expect(server.child.exitCode).to.equal(0);
    const slowWon = heard.startsWith('HTTP/1.1 201');
    if (tookMs < 4000) expect(slowWon, heard).to.equal(true); // It waits for 5 s, not for a test that stands still.
    for (const status of statuses) expect([201, 503, 'refused']).to.include(status);

    await start();
    const won = statuses.filter((status) => status === 201).length;
    const slowly = slowWon ? 1 : 0;
    const [available = '', version = ''] = before.split('/0 v');
    const thousandths = Math.round(Number(available) * 1000) + 1000 * slowly + won;
    const after = `${thousandths / 1000}/0 v${Number(version) + slowly + won}`;
    expect(await standing(client, book.at, '@bob')).to.equal(after);
    listed = await everything();
  });

  it('ends in time though clients keep connections open', async () => {
    await start();
    const idle = connect(server.port, '127.0.0.1');
    const half = connect(server.port, '127.0.0.1');
    await Promise.all([once(idle, 'connect'), once(half, 'connect')]);
    half.write(
      'POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
    );
    await client.get('/health');
    const fromMs = performance.now();
    const code = await stopServer(server);
    // It cuts them off after 5 s; one that stands still for as long ends itself, with 1.
    if (performance.now() - fromMs < 9000) expect(code).to.equal(0);
    else expect(code).to.equal(1);
    idle.destroy();
    half.destroy();
  });

  it('ends with 0 also when it is told to the moment it is ready', async () => {
    for (let n = 0; n < 3; n += 1) {
      await start();
      expect(await stopServer(server)).to.equal(0);
    }
  });

  inFolders.it('refuses a folder another process works on, and says which', async () => {
    await start();
    const second = await launchServer({ dataDir: folder });
    await until(() => second.child.exitCode !== null, 30_000, 'the end of the second process');
    expect(second.child.exitCode).not.to.equal(0);
    expect(second.output()).to.contain(folder).and.to.contain(`process ${server.pid}`);
    expect(await everything()).to.equal(listed);
  });

  inFolders.describe('rebuilds what follows from the log', () => {
    const stores = ['read.db', 'index.db', 'snapshots.db'] as const;
    const damages: readonly [what: string, damage: (file: string) => void][] = [
      ['lost', (file) => rmSync(file)],
      ['empty', (file) => truncateSync(file, 0)],
      ['nonsense', (file) => writeFileSync(file, 'This is not a database. '.repeat(1000))],
      ['torn', (file) => truncateSync(file, 5000)],
      ['of another log', (file) => copyFileSync(join(strange, basename(file)), file)],
    ];

    const strange = temporaryFolder();
    let pristine = '';
    before(async () => {
      await start({ dataDir: strange });
      await createOrganization(client);
      await stopServer(server);
      await start();
      await everything();
      await stopServer(server);
      pristine = temporaryFolder();
      cpSync(folder, pristine, { recursive: true });
    });
    after(() => {
      removeFolder(strange);
      removeFolder(pristine);
    });

    /** A copy of the folder with some files damaged, and a server on it. */
    async function damaged(names: readonly string[], damage: (file: string) => void) {
      const dir = temporaryFolder();
      cpSync(pristine, dir, { recursive: true });
      for (const name of readdirSync(dir)) {
        if (!names.some((store) => name.startsWith(store))) continue;
        if (name.endsWith('.db')) damage(join(dir, name));
        else rmSync(join(dir, name)); // A write-ahead log of a file that is another now.
      }
      await start({ dataDir: dir });
    }

    for (const [what, damage] of damages) {
      it(`when all of them are ${what}`, async () => {
        await damaged(stores, damage);
        await checkWhole();
      });
    }

    /** Reads, keys and balances are as they were. */
    async function checkWhole(): Promise<void> {
      const repeat = () =>
        client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '0.1'), {
          'X-Idempotency': 'k0',
        });
      let repeated = await repeat();
      await until(
        async () => {
          if (repeated.status === 503) repeated = await repeat();
          return repeated.status !== 503;
        },
        REBUILT_MS,
        `the keys to be there again:\n${server.output()}`,
      );
      expect(repeated.status, repeated.text).to.equal(201);
      expect(repeated.headers['x-idempotency-replayed']).to.equal('true');
      await until(
        async () => {
          const answers = await Promise.all(paths().map((path) => client.get(path)));
          return answers.every(({ status }) => status === 200);
        },
        REBUILT_MS,
        `the read models to be there again:\n${server.output()}`,
      );
      expect(await everything()).to.equal(listed);
      removeFolder(server.dataDir);
    }
  });

  describe('with settings that are wrong', () => {
    it('ends with 78 and names every mistake', async () => {
      const env = {
        PORT: 'eighty',
        MAX_PAGINATION_LIMIT: '0',
        EVENT_STORE_URL: 'mysql://x',
        READ_STORE_URL: 'nowhere',
        ERROR_DOCS_BASE_URL: 'no url',
        IDEMPOTENCY_BODY_HASH_SECONDS: '-1',
        CORS_ALLOWED_ORIGINS: 'no origin',
        ALLOW_UNAUTHENTICATED: 'maybe',
        PLATFORM: 'A B',
      };
      const { child, output } = await launchServer({ env });
      await until(() => child.exitCode !== null, 30_000, 'the end of the process');
      expect(child.exitCode).to.equal(78);
      for (const name of Object.keys(env)) expect(output()).to.contain(name);
    });

    it('refuses an open door: another host than this machine, with nobody asking who calls', async () => {
      const { child, output } = await launchServer({ env: { HOST: '0.0.0.0' } });
      await until(() => child.exitCode !== null, 30_000, 'the end of the process');
      expect(child.exitCode).to.equal(78);
      expect(output()).to.contain('HOST').and.to.contain('ALLOW_UNAUTHENTICATED');
    });

    it('warns of a name that is nearly one of ours', async () => {
      const { output } = await start({ dataDir: temporaryFolder(), env: { DATA_DIRR: 'x' } });
      expect(output()).to.contain('DATA_DIRR');
    });

    it('says so when the port is taken', async () => {
      const taken = await start({ dataDir: temporaryFolder() });
      const second = await launchServer({ env: { PORT: String(taken.port) } });
      await until(() => second.child.exitCode !== null, 30_000, 'the end of the process');
      expect(second.child.exitCode).not.to.equal(0);
      expect(second.output()).to.contain(String(taken.port));
    });
  });

  describe('settings', () => {
    it('bound the page size', async () => {
      await start({ dataDir: temporaryFolder(), env: { MAX_PAGINATION_LIMIT: '5' } });
      expect(await got(client, ORGANIZATIONS)).to.deep.equal({ items: [], limit: 5, page: 1 });
      expectProblem(await client.get(`${ORGANIZATIONS}?limit=6`), 400, 'LDG-0080');
    });

    it('make the type of a problem a link', async () => {
      const env = { ERROR_DOCS_BASE_URL: 'https://docs.example/errors/' };
      await start({ dataDir: temporaryFolder(), env });
      const { type } = (await client.get('/nothing')).json() as { type: string };
      expect(type).to.equal('https://docs.example/errors/LDG-0484');
    });

    it('narrow the origins, or open them to all', async () => {
      const own = 'https://app.example';
      await start({ dataDir: temporaryFolder(), env: { CORS_ALLOWED_ORIGINS: own } });
      const allowed = async (origin: string) =>
        (await client.get('/health', { Origin: origin })).headers['access-control-allow-origin'];
      expect(await allowed(own)).to.equal(own);
      expect(await allowed('http://localhost:3000')).to.equal(undefined);
      await start({ dataDir: temporaryFolder(), env: { CORS_ALLOWED_ORIGINS: '*' } });
      expect(await allowed('https://any.example')).to.equal('*');
    });

    it('are read from an .env file, the environment first', async () => {
      const dir = temporaryFolder();
      const port = await freePort();
      writeFileSync(join(dir, '.env'), `MAX_PAGINATION_LIMIT=3\nPORT=${port}\n`);
      await start({ dataDir: dir });
      expect(server.port).not.to.equal(port);
      expect(await got(client, ORGANIZATIONS)).to.deep.include({ limit: 3 });
    });
  });

  it('starts, and takes a first write, soon', async () => {
    await start({ dataDir: temporaryFolder() });
    await createOrganization(client);
    expect(await cpuMsOf(client)).to.be.below(10_000); // The bench measures; this is a fence.
  });

  it('names a leg of 1 MiB of events as too large, and appends nothing', async () => {
    await start();
    const metadata = { a: 'x'.repeat(800), b: 'y'.repeat(800) };
    const body = sending(
      '500',
      Array.from({ length: 500 }, () => ({ ...exactly('@external/BRL', '1'), metadata })),
      [exactly('@alice', '500')],
    );
    const answer = await client.post(`${book.at}/transactions/json`, body);
    expectProblem(answer, 413, 'LDG-0143');
    expect(await everything()).to.equal(listed);
  });
});

const REBUILT_MS = 30_000;

const isClosed = (port: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => {
    socket.destroy();
    resolve(false);
  });
  socket.once('error', () => resolve(true));
  return promise;
};
