import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import {
  killServer,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TOY = pathToFileURL(join(ROOT, 'test', 'support', 'toy', 'install.ts')).href;
const env = { NODE_OPTIONS: `--import ${TOY}` };

/** No file of the platform knows this component: its manifest is all there is. */
describe('a component that the platform does not know', function () {
  this.timeout(30_000);
  let server: Server;
  const client = clientOf(() => server, { undescribed: true });
  const issued = async (name: string) => {
    const reply = await client.post('/v1/vouchers', { name });
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

  it('has its records written, read back at once, and listed under both versions', async () => {
    const { id } = await issued('gift');
    const found = (await client.get(`/v1/vouchers/${id}`)).json();
    expect(found).to.include({ id, name: 'gift', status: 'ISSUED' });
    for (const version of ['v1', 'v2']) {
      const { items } = (await client.get(`/${version}/vouchers`)).json() as { items: object[] };
      expect(items).to.deep.equal([found]);
    }
  });

  it('has a declared record created, changed, listed and deleted', async () => {
    const metadata = { floor: '1' };
    const made = await client.post('/v1/toys/labels', { name: 'red', metadata });
    expect(made.status, made.text).to.equal(201);
    const label = made.json() as Readonly<{ id: string; createdAt: string }>;
    const { id, createdAt } = label;
    const times = { createdAt, updatedAt: createdAt, deletedAt: null };
    expect(label).to.deep.equal({ id, name: 'red', metadata, ...times });
    expect(await codeOf(client.post('/v1/toys/labels', { name: 'red' }))).to.eql([
      409,
      'TOY-0001',
      'TOY-0001',
    ]);
    const at = `/v1/toys/labels/${id}`;
    const changed = (await client.patch(at, { name: 'blue', metadata: { floor: null } })).json();
    expect(changed).to.include({ id, name: 'blue', createdAt }).and.not.to.have.key('metadata');
    expect((await client.get(at)).json()).to.deep.equal(changed);
    const list = (await client.get('/v2/toys/labels')).json();
    expect(list).to.deep.include({ items: [changed] });
    expect((await client.delete(at)).status).to.equal(204);
    for (const gone of [client.get(at), client.delete(at), client.patch(at, { name: 'x' })]) {
      expect(await codeOf(gone)).to.eql([404, 'TOY-0007', '0007']);
    }
  });

  it('is described, with its refusals', async () => {
    const description = (await client.get('/openapi.json')).text;
    expect(description).to.contain('issueVoucher').and.to.contain('TOY-0001');
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
    const absent = '01234567-89ab-7def-8123-456789abcdef';
    expect(await codeOf(client.post('/v1/vouchers', { name: 'unique' }))).to.eql([
      409,
      'TOY-0001',
      'TOY-0001',
    ]);
    expect(await codeOf(client.post('/v1/vouchers', { x: 1 }))).to.eql([400, 'TOY-0053', '0053']);
    expect(await codeOf(client.get(`/v1/vouchers/${absent}`))).to.eql([404, 'TOY-0007', '0007']);
    expect(await codeOf(client.get('/v1/nothing'))).to.eql([404, 'LDG-0484', '0484']);
    expect(await codeOf(client.post('/v1/organizations', { x: 1 }))).to.eql([
      400,
      'LDG-0053',
      '0053',
    ]);
  });

  it('has what it began in two journals finished after a crash, and is verified', async () => {
    const { id } = await issued('prize');
    expect((await client.post(`/v1/vouchers/${id}/redeem`)).json()).to.include({
      id,
      status: 'REDEEMING',
    });
    await killServer(server);
    server = await startServer({ env, dataDir: server.dataDir });
    const status = async () =>
      ((await client.get(`/v1/vouchers/${id}`)).json() as { status: string }).status;
    await until(async () => (await status()) === 'REDEEMED', 10_000, 'the redemption is settled');
    const cli = join(ROOT, 'src', 'cli', 'main.ts');
    const verify = ['--import', TOY, cli, 'verify', server.dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, verify);
    expect(stdout)
      .to.match(/Sound: \d+ events in 3 journals\./)
      .and.not.to.contain('no rules');
  });
});
