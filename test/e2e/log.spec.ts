import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { clientOf, type Client } from '#test/support/client.ts';
import { logLines, type LogLine } from '#test/support/log-lines.ts';
import { MAIN, NODE_FLAGS } from '#test/support/programs.ts';
import {
  bareEnvironment,
  freePort,
  removeFolder,
  temporaryFolder,
  until,
} from '#test/support/server.ts';

type Logged = Readonly<{
  child: ChildProcess;
  client: Client;
  lines: () => readonly LogLine[];
  text: () => string;
  /** Begins to read stderr. */
  read: () => void;
}>;

describe('the log of a server', function () {
  this.timeout(60_000);
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    removeFolder(folder);
  });

  /** A server whose stderr is read only if `reads`. */
  const start = async (
    env: Readonly<Record<string, string>> = {},
    reads = true,
  ): Promise<Logged> => {
    const port = await freePort();
    const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
      cwd: folder,
      env: { ...bareEnvironment(), DATA_DIR: folder, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let text = '';
    const read = (chunk: Buffer) => (text += chunk.toString());
    if (reads) child.stderr.on('data', read);
    await once(child.stdout, 'data');
    return {
      ...{ child, client: clientOf(() => ({ port }), { undescribed: true }) },
      ...{ text: () => text, lines: () => logLines(text) },
      read: () => child.stderr.on('data', read),
    };
  };
  const requests = ({ lines }: Logged) => lines().filter(({ message }) => message === 'request');
  const stopped = async ({ child, client }: Logged) => {
    client.close();
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  };
  const ORGANIZATION = {
    ...{ legalName: 'Unmistakable', legalDocument: '4711' },
    address: { line1: 'x', city: 'y', country: 'BR' },
  };

  it('has a line for each request, with its route and nothing of its content', async () => {
    const server = await start();
    const { client } = server;
    const created = await client.post('/v1/organizations', ORGANIZATION, { 'X-Request-Id': 'r"1' });
    expect(created.status).to.equal(201);
    const { id } = created.json() as { id: string };
    await client.get(`/v1/organizations/${id}?secret=Unmistakable`, { 'X-Request-Id': 'r2' });
    await client.get('/v1/Unmistakable', { 'X-Request-Id': 'r3' });
    await client.get('/health');
    await until(() => requests(server).length === 3, 5000, 'three lines');
    const [first, ...others] = requests(server);
    expect(first).to.include({
      ...{ level: 'info', role: 'api', requestId: 'r"1', method: 'POST', status: 201 },
      ...{ route: '/v1/organizations', bytes: Buffer.byteLength(created.text) },
    });
    expect(first).to.have.keys(
      ...['level', 'time', 'role', 'route', 'requestId', 'method', 'status', 'ms', 'bytes'],
      'message',
    );
    expect(first?.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(first?.['ms']).to.be.a('number').above(0).below(10_000);
    expect(others.map(({ route, status }) => [route, status])).to.deep.equal([
      ['/v1/organizations/{organization_id}', 200],
      [undefined, 404],
    ]);
    expect(await stopped(server)).to.equal(0);
    expect(server.text()).to.not.contain('Unmistakable');
  });

  it('shows probes at debug, and no request at warn', async () => {
    for (const [level, expected] of [
      ['debug', ['/health', '/v1/organizations']],
      ['warn', []],
    ] as const) {
      const server = await start({ LOG_LEVEL: level });
      await server.client.get('/health');
      await server.client.get('/v1/organizations');
      expect(await stopped(server)).to.equal(0);
      expect(requests(server).map(({ route }) => route)).to.deep.equal(expected);
    }
  });

  it('holds up neither requests nor the end when nobody reads it, and tells what was dropped', async () => {
    const server = await start({}, false);
    const { client } = server;
    const path = '/v1/' + 'x'.repeat(200);
    for (let n = 0; n < 60; n += 1) {
      const replies = Array.from({ length: 200 }, async () => client.get(path));
      for (const { status } of await Promise.all(replies)) expect(status).to.equal(404);
    }
    server.read();
    await until(() => requests(server).length > 1000, 10_000, 'the lines that were kept');
    await client.get('/v1/organizations');
    await until(
      () => server.lines().some(({ message }) => /^\d+ lines were dropped/.test(message)),
      5000,
      'the count of those that were not',
    );
    expect(await stopped(server)).to.equal(0);
  });

  it('does not keep a server from ending in time while nobody reads it', async () => {
    const server = await start({}, false);
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(Array.from({ length: 200 }, async () => server.client.get('/v1/nothing')));
    }
    expect(await stopped(server)).to.equal(0);
  });

  it('may be closed by its reader', async () => {
    const server = await start();
    server.child.stderr?.destroy();
    for (let n = 0; n < 3; n += 1) {
      expect((await server.client.get('/v1/organizations')).status).to.equal(200);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await stopped(server)).to.equal(0);
  });
});
