import { expect } from 'chai';
import { createOrganization, got, made, type List } from '#test/e2e/books.ts';
import { startVaultDouble, type VaultDouble } from '#test/doubles/vault/start.ts';
import { clientOf } from '#test/support/client.ts';
import { launchQuipu, quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { until } from '#test/support/until.ts';

type Shown = Readonly<{ id: string; name: string; document: string }>;
const HOLDERS = 40;

describe('quipu rewrap', function () {
  this.timeout(120_000);
  let vault: VaultDouble;
  let server: Server;
  let org = '';
  const holders: Shown[] = [];
  const dataDir = temporaryFolder();
  const client = clientOf(() => server);
  const at = (rest = '') => `/v2/organizations/${org}/holders${rest}`;
  const settings = () => ({
    DATA_DIR: dataDir,
    KMS_VENDOR: 'hashicorp-vault',
    KMS_VAULT_ADDR: vault.url,
    KMS_VAULT_ROLE_ID: vault.roleId,
    KMS_VAULT_SECRET_ID: vault.secretId,
  });
  const start = async () => {
    server = await startServer({ dataDir, env: settings() });
  };
  const rewrap = () => quipu(['rewrap'], '', settings());
  const rewraps = () => vault.calls.filter((call) => call.includes('/rewrap/')).length;

  const create = async (name: string) => {
    const body = { type: 'NATURAL_PERSON', name, document: `document of ${name}` };
    holders.push(await made<Shown>(client, at(), body));
  };
  /** Every holder opens, and is found by its document. */
  const expectReadable = async (): Promise<void> => {
    for (const { id, name, document } of holders) {
      expect((await got<Shown>(client, at(`/${id}`))).name).to.equal(name);
      const path = at(`?document=${encodeURIComponent(document)}`);
      expect((await got<List<Shown>>(client, path)).items.map((one) => one.id)).to.eql([id]);
    }
  };

  before(async () => {
    vault = await startVaultDouble();
    await start();
    org = (await createOrganization(client)).id;
    for (let n = 1; n <= HOLDERS; n += 1) await create(`before ${n}`);
  });
  after(async () => {
    client.close();
    await stopServer(server);
    await vault.stop();
    removeFolder(dataDir);
  });

  it('is not needed to read what was written before a rotation', async () => {
    await stopServer(server);
    vault.rotate('transit-st', `org-${org}`);
    await start();
    await create('after the rotation');
    await expectReadable();
  });

  it('is refused while a server runs on the folder', async () => {
    const { code, stderr } = await rewrap();
    expect(code).to.equal(2);
    expect(stderr).to.include('is in use by');
    expect(rewraps()).to.equal(0);
  });

  it('says what is missing when the key service fails in the middle, or is killed there', async () => {
    await stopServer(server);
    const killed = launchQuipu(['rewrap'], '', settings());
    await until(() => rewraps() >= 5, 30_000, 'some keys');
    killed.child.kill('SIGKILL');
    expect((await killed.said).code).to.equal(null);

    const failing = launchQuipu(['rewrap'], '', settings());
    const before = rewraps();
    await until(() => rewraps() >= before + 10, 30_000, 'some more keys');
    vault.fail({ status: 503, body: '{"errors":["Vault is sealed"]}' });
    const { code, stderr } = await failing.said;
    expect(code, stderr).to.equal(2);
    expect(stderr).to.include('Not all keys were wrapped again').and.to.include('Vault is sealed');
    vault.fail(undefined);
  });

  it('wraps the others when it runs again, after which older versions are not needed', async () => {
    const { code, stdout, stderr } = await rewrap();
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^Wrapped \d+ keys? again\. All keys have the newest version\.\n$/);
    expect((await rewrap()).stdout).to.match(/^Wrapped 0 keys again/);
    vault.forget('transit-st', `org-${org}`);
    await start();
    await create('after it');
    await expectReadable();
  });

  it('names the settings that are wrong, and does nothing where there are no keys', async () => {
    const wrong = await quipu(['rewrap'], '', { ...settings(), KMS_VAULT_ADDR: 'none' });
    expect(wrong.code).to.equal(78);
    expect(wrong.stderr).to.include('KMS_VAULT_ADDR');
    const empty = temporaryFolder();
    const { code, stdout } = await quipu(['rewrap'], '', { ...settings(), DATA_DIR: empty });
    removeFolder(empty);
    expect([code, stdout]).to.eql([0, 'There are no keys of personal data.\n']);
  });
});
