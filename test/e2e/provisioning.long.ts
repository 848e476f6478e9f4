import { expect } from 'chai';
import { SEARCH_KEY_ID } from '#src/runtime/protection/search-keys.ts';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { clientOf } from '#test/support/client.ts';
import { withSecretsOf } from '#test/support/record-keys.ts';
import { SHARED_KEYS } from '#test/support/shared-keys.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { inFolders } from '#test/support/stores.ts';
import { createOrganization, got, NOBODY, type List } from './books.ts';
import { expectProblem } from './problems.ts';

type Attempt = Readonly<{ actor: string; outcome: string; to_status: string }>;

const attempt = { actor: 'ops@bank', reason: 'onboarding' };
const at = (org: string, rest: string) => `/v2/organizations/${org}/${rest}`;

describe('setting up the protection of an organization', function () {
  this.timeout(120_000);

  inFolders.it('fails if a stored key was altered, and the attempt is audited', async () => {
    let server: Server = await startServer();
    const client = clientOf(() => server);
    const { dataDir } = server;
    const provision = async (org: string) => client.post(at(org, 'encryption/provision'), attempt);
    expect((await provision((await createOrganization(client)).id)).status).to.equal(201);
    const org = (await createOrganization(client)).id;
    await stopServer(server);
    const alter = (change: (bytes: Uint8Array) => Uint8Array) =>
      withSecretsOf(dataDir, async (secrets) => {
        const store = await secrets.open();
        await store.put(SEARCH_KEY_ID, change((await store.get(SEARCH_KEY_ID))!.value));
      });
    const flip = (bytes: Uint8Array) => bytes.with(0, bytes[0]! ^ 1);
    await alter(flip);
    server = await startServer({ dataDir });

    expectProblem(await provision(org), 500, 'CRM-0038');
    const path = at(org, 'protection/audit');
    const { items } = await got<List<Attempt>>(client, path);
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ actor: 'ops@bank', outcome: 'failure', to_status: '' });
    const status = { organization_id: org, provisioned: false };
    expect(await got(client, at(org, 'encryption/status'))).to.deep.equal(status);

    await stopServer(server);
    await alter(flip);
    server = await startServer({ dataDir });
    expect((await provision(org)).status).to.equal(201);
    const outcomes = (await got<List<Attempt>>(client, path)).items.map(({ outcome }) => outcome);
    expect(outcomes).to.deep.equal(['success', 'failure']);
    client.close();
    await stopServer(server);
    removeFolder(dataDir);
  });

  inFolders.describe('while the log cannot be written', () => {
    let log: EventStoreDouble;
    let server: Server;
    const client = clientOf(() => server, { impatient: true });
    before(async () => {
      log = await startEventStoreDouble();
      server = await startServer({ env: { EVENT_STORE_URL: log.url, ...SHARED_KEYS } });
    });
    after(async () => {
      client.close();
      await stopServer(server);
      removeFolder(server.dataDir);
      await log.stop();
    });

    it('fails, because its audit record is missing', async () => {
      const org = (await createOrganization(client)).id;
      await log.kill();
      expectProblem(await client.post(at(org, 'encryption/provision'), attempt), 500, 'CRM-0040');
      await log.restart();
      const again = clientOf(() => server);
      const answer = await again.post(at(org, 'encryption/provision'), attempt);
      expect(answer.status, answer.text).to.equal(201);
      const { items } = await got<List<Attempt>>(again, at(org, 'protection/audit'));
      expect(items.map(({ outcome }) => outcome)).to.deep.equal(['success']);
      expectProblem(await again.post(at(NOBODY, 'encryption/provision'), attempt), 404, 'LDG-0038');
      again.close();
    });
  });
});
