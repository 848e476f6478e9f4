import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { CLI, NODE_FLAGS } from '#test/support/programs.ts';
import {
  freePort,
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TOY = pathToFileURL(join(ROOT, 'test', 'support', 'toy', 'install.ts')).href;
const env = { NODE_OPTIONS: `--import ${TOY}` };

const ORGANIZATION = '01990000-0000-7000-8000-000000000001';
const HEADER = { 'X-Organization-Id': ORGANIZATION };

/** No file of the platform knows this component: its manifest is all there is. */
describe('a component that the platform does not know', function () {
  this.timeout(30_000);
  let server: Server;
  const client = clientOf(() => server, { undescribed: true });
  const issued = async (name: string) => {
    const reply = await client.post('/v1/vouchers', { name }, HEADER);
    expect(reply.status, reply.text).to.equal(201);
    return reply.json() as { id: string };
  };
  const codeOf = async (work: ReturnType<typeof client.get>) => {
    const reply = await work;
    const { code, legacyCode } = reply.json() as Readonly<{ code: string; legacyCode: string }>;
    return [reply.status, code, legacyCode];
  };

  before(async () => (server = await startServer({ env })));
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('has its records written, read back at once, and listed under both mounts', async () => {
    const { id } = await issued('gift');
    const found = (await client.get(`/v1/vouchers/${id}`, HEADER)).json();
    expect(found).to.include({ id, name: 'gift', status: 'ISSUED', organizationId: ORGANIZATION });
    const byPath = `/v2/organizations/${ORGANIZATION}/vouchers`;
    expect((await client.get(`${byPath}/${id}`)).json()).to.deep.equal(found);
    for (const [path, headers] of [['/v1/vouchers', HEADER], [byPath]] as const) {
      const { items } = (await client.get(path, headers)).json() as { items: object[] };
      expect(items).to.deep.equal([found]);
    }
    const other = { 'X-Organization-Id': '01990000-0000-7000-8000-000000000002' };
    const { items } = (await client.get('/v1/vouchers', other)).json() as { items: object[] };
    expect(items).to.deep.equal([]);
  });

  it('has a declared record created, changed, listed and deleted', async () => {
    const metadata = { floor: '1' };
    const made = await client.post('/v1/toys/labels', { name: 'red', metadata }, HEADER);
    expect(made.status, made.text).to.equal(201);
    const label = made.json() as Readonly<{ id: string; createdAt: string }>;
    const { id, createdAt } = label;
    const times = { createdAt, updatedAt: createdAt, deletedAt: null };
    expect(label).to.deep.equal({ id, name: 'red', metadata, ...times });
    expect(await codeOf(client.post('/v1/toys/labels', { name: 'red' }, HEADER))).to.eql([
      409,
      'TOY-0001',
      'TOY-0001',
    ]);
    const byPath = `/v2/organizations/${ORGANIZATION}/toys/labels`;
    const at = `${byPath}/${id}`;
    const changed = (await client.patch(at, { name: 'blue', metadata: { floor: null } })).json();
    expect(changed).to.include({ id, name: 'blue', createdAt }).and.not.to.have.key('metadata');
    expect((await client.get(at)).json()).to.deep.equal(changed);
    const list = (await client.get('/v1/toys/labels', HEADER)).json();
    expect(list).to.deep.include({ items: [changed] });
    expect((await client.delete(at)).status).to.equal(204);
    for (const gone of [client.get(at), client.delete(at), client.patch(at, { name: 'x' })]) {
      expect(await codeOf(gone)).to.eql([404, 'TOY-0007', '0007']);
    }
  });

  it('takes the organization from a header where its mount says so', async () => {
    const list = (headers: object) => codeOf(client.get('/v1/vouchers', { ...headers }));
    expect(await list({})).to.eql([400, 'TOY-0018', 'TOY-0018']);
    expect(await list({ 'X-Organization-Id': '' })).to.eql([400, 'TOY-0018', 'TOY-0018']);
    expect(await list({ 'X-Organization-Id': 'acme' })).to.eql([400, 'TOY-0022', 'TOY-0022']);
    const twice = [ORGANIZATION, ORGANIZATION];
    expect(await list({ 'X-Organization-Id': twice })).to.eql([400, 'TOY-0022', 'TOY-0022']);
    const reply = await client.get('/v1/vouchers', { 'X-Organization-Id': 'acme' });
    expect((reply.json() as { errors: object[] }).errors).to.eql([
      { location: 'header.X-Organization-Id', message: 'must be a UUID', value: 'acme' },
    ]);
    const path = `/v1/organizations/${ORGANIZATION}/vouchers`;
    expect((await client.get(path)).status).to.equal(404);
  });

  it('is described, with its header and its refusals', async () => {
    const { paths, components } = (await client.get('/openapi.json')).json() as Description;
    const codesIn = (path: string) => {
      const { $ref } = paths[path]!['post']!.responses['400']!;
      return components.responses[$ref.split('/').at(-1)!]!.description;
    };
    expect(paths['/v1/vouchers']!['post']!.parameters).to.deep.include({
      ...{ name: 'X-Organization-Id', in: 'header', required: true },
      description: 'The id of the organization, a UUID.',
      schema: { type: 'string', format: 'uuid' },
    });
    expect(codesIn('/v1/vouchers')).to.contain('TOY-0018, TOY-0022');
    expect(codesIn('/v2/organizations/{organization_id}/vouchers')).to.not.contain('TOY-0018');
    for (const [code, title] of [
      ['TOY-0001', 'Voucher name taken'],
      ['TOY-0007', 'Resource not found'],
      ['LDG-0007', 'Resource not found'],
    ]) {
      expect((await client.get(`/docs/errors/${code}`)).text).to.contain(title);
    }
  });

  it('answers by its own codes, and the ledger by the ledger’s', async () => {
    await issued('unique');
    const absent = '/v1/vouchers/01234567-89ab-7def-8123-456789abcdef';
    const post = (body: object) => codeOf(client.post('/v1/vouchers', body, HEADER));
    expect(await post({ name: 'unique' })).to.eql([409, 'TOY-0001', 'TOY-0001']);
    expect(await post({ x: 1 })).to.eql([400, 'TOY-0053', '0053']);
    expect(await codeOf(client.get(absent, HEADER))).to.eql([404, 'TOY-0007', '0007']);
    expect(await codeOf(client.get('/v1/nothing'))).to.eql([404, 'LDG-0484', '0484']);
    expect(await codeOf(client.post('/v1/organizations', { x: 1 }))).to.eql([
      400,
      'LDG-0053',
      '0053',
    ]);
  });

  it('has what it began in two journals finished after a crash, and is verified', async () => {
    const { id } = await issued('prize');
    expect((await client.post(`/v1/vouchers/${id}/redeem`, undefined, HEADER)).json()).to.include({
      id,
      status: 'REDEEMING',
    });
    await killServer(server);
    server = await startServer({ env, dataDir: server.dataDir });
    const status = async () =>
      ((await client.get(`/v1/vouchers/${id}`, HEADER)).json() as { status: string }).status;
    await until(async () => (await status()) === 'REDEEMED', 10_000, 'the redemption is settled');
    const verify = [...NODE_FLAGS, '--import', TOY, CLI, 'verify', server.dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, verify);
    expect(stdout)
      .to.match(/Sound: \d+ events in 3 journals\./)
      .and.not.to.contain('no rules');
  });
});

type Description = Readonly<{
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Readonly<{ responses: Record<string, Readonly<{ description: string }>> }>;
}>;
type DescribedOperation = Readonly<{
  parameters: object[];
  responses: Record<string, Readonly<{ $ref: string }>>;
}>;

describe('a component with settings and a listener of its own', function () {
  this.timeout(30_000);
  let server: Server;
  let own: Readonly<{ port: number }>;
  const main = clientOf(() => server, { undescribed: true });
  const toy = clientOf(() => own, { undescribed: true });
  const issue = async (name: string) =>
    (await toy.post('/v1/vouchers', { name }, HEADER)).json() as Readonly<{ code?: string }>;
  const byPath = `/v2/organizations/${ORGANIZATION}/vouchers`;

  before(async () => {
    own = { port: await freePort() };
    const settings = { VOUCHERS_PORT: String(own.port), VOUCHERS_MAX: '1' };
    server = await startServer({ env: { ...env, ...settings } });
  });
  after(async () => {
    main.close();
    toy.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('says where it listens', () => {
    const url = (port: number) => `http://127.0.0.1:${port}`;
    expect(server.readyLine).to.contain(
      `Quipu is ready at ${url(server.port)} and ${url(own.port)} (VOUCHERS_PORT), data in`,
    );
  });

  it('is served there only, and nothing else is', async () => {
    expect(await issue('first')).to.include({ name: 'first' });
    const statuses = async (client: typeof main) => {
      const paths = ['/v1/vouchers', byPath, '/v1/organizations'];
      const replies = await Promise.all(paths.map((path) => client.get(path, HEADER)));
      return replies.map(({ status }) => status);
    };
    expect(await statuses(main)).to.eql([404, 200, 200]);
    expect(await statuses(toy)).to.eql([200, 404, 404]);
  });

  it('has probes, a description and pages there', async () => {
    for (const client of [main, toy]) {
      for (const path of ['/health', '/readyz', '/version', '/metrics', '/docs', '/docs/errors']) {
        expect((await client.get(path)).status, path).to.equal(200);
      }
    }
    const pathsOf = async (client: typeof main) =>
      Object.keys(((await client.get('/openapi.json')).json() as Description).paths);
    expect(await pathsOf(toy)).to.have.members([
      '/v1/toys/labels',
      '/v1/toys/labels/{label_id}',
      '/v1/vouchers',
      '/v1/vouchers/{voucher_id}',
      '/v1/vouchers/{voucher_id}/redeem',
    ]);
    const others = await pathsOf(main);
    expect(others).to.include('/v1/organizations').and.not.to.include('/v1/vouchers');
    expect(others).to.include('/v2/organizations/{organization_id}/vouchers');
  });

  it('reads its settings, and refuses the start with the platform’s', async () => {
    expect((await issue('second')).code).to.equal('TOY-0002');
    const wrong = { VOUCHERS_MAX: '0', VOUCHERS_PORT: '7000', MAX_PAGINATION_LIMIT: '0' };
    const { child, output } = await launchServer({ env: { ...env, ...wrong, PORT: '7000' } });
    const [exitCode] = (await once(child, 'exit')) as [number];
    expect(exitCode).to.equal(78);
    for (const name of Object.keys(wrong)) expect(output()).to.contain(`  - ${name}=`);
    expect(output()).to.contain('VOUCHERS_PORT=7000 is the port of PORT');
  });
});
