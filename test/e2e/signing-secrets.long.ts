import { expect } from 'chai';
import type { SubscriptionEvent } from '#src/events/streaming/streaming.ts';
import type { Instant } from '#src/kernel/instant.ts';
import {
  formatSecrets,
  parseSecrets,
  SIGNING_SECRETS,
  signingSecretName,
} from '#src/kernel/signing-secret.ts';
import { openSecretStore } from '#src/bootstrap/stores.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { clientOf } from '#test/support/client.ts';
import {
  eventsOf,
  killServer,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';
import { storesOf } from '#test/support/stores.ts';
import { NOBODY } from './books.ts';

const AT = '/v1/subscriptions';
const ROUNDS = 4;
/** Requests under way at each crash. */
const AT_ONCE = 8;

describe('signing secrets', function () {
  this.timeout(120_000);
  let server: Server;
  const client = clientOf(() => server);
  afterEach(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  const withSecrets = async <Result>(
    work: (store: SecretStore) => Promise<Result>,
  ): Promise<Result> => {
    const { dataDir } = server;
    const { READ_STORE_URL: readStoreUrl = 'embedded:' } = await storesOf(dataDir).settings();
    const store = await openSecretStore({ eventStoreUrl: 'embedded:', readStoreUrl, dataDir });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const secretIds = () =>
    withSecrets(async (store) => {
      const ids = new Set<string>();
      for await (const { name } of store.list()) {
        if (name.startsWith(SIGNING_SECRETS)) ids.add(name.slice(SIGNING_SECRETS.length));
      }
      return ids;
    });
  const liveIds = async (): Promise<Set<string>> => {
    const live = new Set<string>();
    for (const { type, data } of await eventsOf(server, 'streaming-default')) {
      const { subscription } = JSON.parse(data) as SubscriptionEvent['data'];
      if (type === 'SubscriptionDeleted') live.delete(subscription.id);
      else live.add(subscription.id);
    }
    return live;
  };

  it('are there for every subscription, wherever a crash comes between', async () => {
    server = await startServer();
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      let running = true;
      const one = async (): Promise<void> => {
        const body = { name: 'Books', target: { kind: 'webhook', url: 'https://hooks.example' } };
        const answer = await client.post(AT, body);
        if (answer.status !== 201) return;
        acknowledged += 1;
        const { id } = answer.json() as { id: string };
        await client.post(`${AT}/${id}/secret/rotate`);
        if (acknowledged % 2 === 0) await client.delete(`${AT}/${id}`);
      };
      const working = Array.from({ length: AT_ONCE }, async () => {
        while (running) await one().catch(() => (running = false));
      });
      const before = acknowledged;
      await until(() => acknowledged > before + round * 3, 20_000, 'acknowledged subscriptions');
      await killServer(server);
      running = false;
      await Promise.all(working);

      const [live, kept] = [await liveIds(), await secretIds()];
      expect([...live.difference(kept)], 'subscriptions without a secret').to.deep.equal([]);
      expect(kept.difference(live).size, 'secrets of crashes').to.be.at.most(AT_ONCE * (round + 1));
      client.close();
      server = await startServer({ dataDir: server.dataDir });
    }
    expect(acknowledged).to.be.above(ROUNDS);
  });

  it('without a subscription are destroyed at a start an hour later', async () => {
    server = await startServer();
    const body = { name: 'Books', target: { kind: 'webhook', url: 'https://hooks.example' } };
    const { id } = (await client.post(AT, body)).json() as { id: string };
    await stopServer(server);
    await withSecrets(async (store) => {
      const name = signingSecretName(id);
      const { current, tenantId } = parseSecrets((await store.get(name))!.value);
      const since = '2026-01-05T10:00:00.000000Z' as Instant;
      const old = formatSecrets({ tenantId, current: { ...current, since } });
      await store.put(name, old);
      await store.put(signingSecretName(NOBODY), old);
    });
    client.close();
    server = await startServer({ dataDir: server.dataDir });
    const deadlineMs = performance.now() + 20_000;
    while ((await secretIds()).size > 1 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect([...(await secretIds())]).to.deep.equal([id]);
  });
});
