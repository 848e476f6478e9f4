import { expect } from 'chai';
import type { CloudEvent } from 'cloudevents';
import { clientOf, type Client } from '#test/support/client.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { PROFILE, storesOf } from '#test/support/stores.ts';
import { createOrganization, made, type List } from './books.ts';

describe('the owner of data from before there were tenants', function () {
  this.timeout(120_000);
  let provider: IdentityProvider;
  const dataDir = temporaryFolder();
  let settings: Readonly<Record<string, string>>;
  before(async () => {
    provider = await startIdentityProvider();
    settings = {
      ...{ PLUGIN_AUTH_ENABLED: 'true', AUTHZ_MODE: 'none', OIDC_TENANT_CLAIM: 'org' },
      ...{ OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
      ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' },
    };
  });
  after(async () => {
    removeFolder(dataDir);
    await provider.stop();
  });
  const manyTenants = (more: object = {}) => ({
    ...{ ...settings, MULTI_TENANT_ENABLED: 'true' },
    ...more,
  });
  /** Runs a server; returns how it ended where it did not start. */
  const running = async (
    env: Readonly<Record<string, string>>,
    work: (ask: (tenant?: string) => Client, server: Server) => Promise<void> = async () => {},
  ): Promise<string> => {
    let server: Server;
    try {
      server = await startServer({ dataDir, env });
    } catch (error) {
      return String(error);
    }
    const clients: Client[] = [];
    const tokens = new Map<string | undefined, string>();
    for (const org of [undefined, 'acme', 'beta']) {
      tokens.set(org, await provider.sign(org === undefined ? {} : { org }));
    }
    const ask = (tenant?: string): Client => {
      const headers = () => ({ Authorization: `Bearer ${tokens.get(tenant)!}` });
      const client = clientOf(() => server, { impatient: true, headers });
      clients.push(client);
      return client;
    };
    try {
      await work(ask, server);
    } finally {
      for (const client of clients) client.close();
      await stopServer(server);
    }
    return '';
  };
  const organizations = async (client: Client): Promise<readonly string[]> => {
    const answer = await client.get('/v1/organizations');
    expect(answer.status, answer.text).to.equal(200);
    return (answer.json() as List<{ id: string }>).items.map(({ id }) => id);
  };

  it('is named once, owns them for good, and publishes under its own name', async () => {
    let id = '';
    const env = { DATA_DIR: dataDir, ...(await storesOf(dataDir).settings()), ...settings };
    await running(settings, async (ask) => {
      ({ id } = await createOrganization(ask()));
      if (PROFILE !== 'embedded') return;
      const { code, stderr } = await quipu(['tenant', 'add', 'beta'], '', env);
      expect(code).to.equal(2);
      expect(stderr).to.contain('Only a server with MULTI_TENANT_ENABLED=true');
    });
    expect((await quipu(['tenant', 'list'], '', { ...env, PORT: 'x' })).code).to.equal(78);
    expect(await running(manyTenants())).to.contain('requires DEFAULT_TENANT');
    expect(await running(manyTenants({ DEFAULT_TENANT: 'default' }))).to.contain('DEFAULT_TENANT');
    expect((await quipu(['tenant', 'add', 'beta'], '', env)).code).to.equal(0);
    const started = await running(manyTenants({ DEFAULT_TENANT: 'acme' }), async (ask) => {
      const [acme, beta] = [ask('acme'), ask('beta')];
      expect(await organizations(acme)).to.deep.equal([id]);
      expect(await organizations(beta)).to.deep.equal([]);
      expect((await beta.get(`/v1/organizations/${id}`)).status).to.equal(404);
      const { id: subscription } = await made<{ id: string }>(acme, '/v1/subscriptions', {
        ...{ name: 'All', target: { kind: 'pull' }, filters: { types: ['*'] } },
        startAt: '2026-01-01T00:00:00Z',
      });
      const pulled = await acme.post(`/v1/subscriptions/${subscription}/messages/pull`, {
        waitMs: 5000,
      });
      const { messages } = pulled.json() as { messages: Readonly<{ event: CloudEvent }>[] };
      expect(messages.map(({ event }) => event['tenantid'])).to.deep.equal(['acme']);
      await createOrganization(beta);
    });
    expect(started).to.equal('');
    expect(await running(manyTenants({ DEFAULT_TENANT: 'beta' }))).to.contain('belong to acme');
    expect(await running(settings)).to.contain('would hide the data of 1 tenants, such as beta');
    await running(manyTenants(), async (ask) => {
      expect(await organizations(ask('acme'))).to.deep.equal([id]);
    });
  });

  it('needs tokens', async () => {
    const refused = await running({ MULTI_TENANT_ENABLED: 'true' });
    expect(refused).to.contain('MULTI_TENANT_ENABLED=true requires PLUGIN_AUTH_ENABLED=true');
  });
});
