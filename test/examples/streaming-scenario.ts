import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openEventStream } from '#test/support/event-stream.ts';
import { openAccount, openBank } from './bank.ts';
import type { ExampleApi, Identified, ListedItems } from './example-api.ts';

type Delivery = Identified & Readonly<{ attempts: readonly unknown[] }>;
type Pulled = Readonly<{ messages: readonly Readonly<{ leaseId: string }>[] }>;

/** Runs subscriptions, deliveries, replays and manifests; `port` is that of the server, for its event stream. */
export async function exampleStreaming(api: ExampleApi, port: number): Promise<void> {
  await openBank(api);
  await manifests(api);
  await subscriptions(api);
  await pulls(api);
  await webhooks(api);
  await eventStream(api, port);
}

async function manifests({ call }: ExampleApi): Promise<void> {
  await call('getStreamingManifest', { itemsMax: 1 });
  await call('getLendingStreamingManifest', { itemsMax: 1 });
  await call('getReportingStreamingEvents', { itemsMax: 1 });
  await call('getProducerStreamingManifest', { path: { producer: 'matching' }, itemsMax: 1 });
  await call('getEventSchema', {
    path: { key: 'segment.deleted', version: '1.0.0' },
  });
  const replay = await call('createReplay', {
    body: {
      from: '2026-01-05T00:00:00Z',
      to: '2026-01-06T00:00:00Z',
      keys: ['account.created'],
    },
  });
  const until = ({ status }: Readonly<{ status: string }>) => status === 'completed';
  await call('getReplay', { path: { replay_id: replay.id }, until });
  await call('listReplays', { query: { limit: 1 } });
}

async function subscriptions({ call, within }: ExampleApi): Promise<void> {
  const { ledgerId } = await call<{ ledgerId: string }>('getAsset');
  const created = await call('createSubscription', {
    body: {
      name: 'Core banking',
      filters: { types: ['account.*', 'transaction.posted'], ledgerIds: [ledgerId] },
      target: { kind: 'webhook', url: 'https://hooks.example.com/quipu', timeoutMs: 5000 },
      rateLimit: 50,
    },
  });
  within({ subscription_id: created.id });
  await call('getSubscription');
  await call('pauseSubscription');
  await call('updateSubscription', { body: { rateLimit: 100 } });
  await call('listSubscriptions', { query: { limit: 1 } });
  await call('rotateSubscriptionSecret');
  await call('resumeSubscription');
  await call('deleteSubscription');
}

async function subscribed({ call, within }: ExampleApi, target: object): Promise<string> {
  const { ledgerId } = await call<{ ledgerId: string }>('getAsset');
  const filters = { types: ['account.created'], ledgerIds: [ledgerId] };
  const body = { name: 'Back office', filters, target };
  const { id } = await call('createSubscription', { body });
  within({ subscription_id: id });
  return id;
}

async function pulls(api: ExampleApi): Promise<void> {
  const { call } = api;
  await subscribed(api, { kind: 'pull' });
  await openAccount(api, '@alice');
  const pull = async () => {
    const body = { max: 10, waitMs: 10_000, leaseMs: 30_000 };
    return (await call<Pulled>('pullMessages', { body })).messages.map(({ leaseId }) => leaseId);
  };
  const leaseIds = await pull();
  await call('extendMessageLeases', { body: { leaseIds, leaseMs: 60_000 } });
  await call('returnMessages', { body: { leaseIds } });
  await call('acknowledgeMessages', { body: { leaseIds: await pull() } });
  await call('deleteSubscription');
}

/** The receiver is gone at first, which makes a delivery a dead letter and disables the subscription. */
async function webhooks(api: ExampleApi): Promise<void> {
  const { call } = api;
  let status = 410;
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const subscription = await subscribed(api, { kind: 'webhook', url });
  await openAccount(api, '@bruno');
  const deadAfter = async (attempts: number): Promise<readonly Delivery[]> => {
    const until = ({ items }: ListedItems<Delivery>) => items[0]?.attempts.length === attempts;
    return (await call<ListedItems<Delivery>>('listDeadLetters', { query: { limit: 1 }, until }))
      .items;
  };
  const [dead] = await deadAfter(1);
  const path = { delivery_id: dead?.id ?? '' };
  await call('resumeSubscription');
  await call('retryDelivery', { path });
  await deadAfter(2);
  status = 204;
  await call('resumeSubscription');
  await call('testSubscription');
  await call('listDeliveries', {
    query: { subscription_id: subscription, status: 'delivered', limit: 1 },
    until: isListed,
  });
  await call('replayDeadLetters', { body: { ids: [path.delivery_id] } });
  await call('deleteSubscription');
  receiver.close();
}

async function eventStream(api: ExampleApi, port: number): Promise<void> {
  await subscribed(api, { kind: 'pull' });
  const path = api.path('streamEvents');
  const stream = await openEventStream({ port }, path);
  await openAccount(api, '@carla');
  const [{ id, event, data }] = (await stream.have(1)) as [(typeof stream.messages)[0]];
  stream.close();
  api.received(
    'streamEvents',
    200,
    'text/event-stream',
    `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`,
  );
}

const isListed = ({ items }: ListedItems): boolean => items.length > 0;
