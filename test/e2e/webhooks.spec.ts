import { expect } from 'chai';
import { createServer, type IncomingHttpHeaders, type Server as Receiver } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { clientOf, type Client } from '#test/support/client.ts';
import {
  killServer,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { createAccount, got, made, openBook, transfer, type Book } from './books.ts';

type Received = Readonly<{ headers: IncomingHttpHeaders; body: string }>;
type Delivery = Readonly<{
  id: string;
  eventId: string;
  status: string;
  attempts: readonly { statusCode?: number }[];
}>;
type Deliveries = Readonly<{ items: readonly Delivery[] }>;
type Message = Readonly<{ leaseId: string; attempt: number; event: Record<string, unknown> }>;

const AT = '/v1/subscriptions';
const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
  DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8',
};

/** The whole way of an event, from a request to its receiver, without a broker. */
describe('deliveries of a server', () => {
  let server: Server;
  let client: Client;
  let book: Book;
  let receiver: Receiver;
  let url = '';
  const received: Received[] = [];
  let status = (): number => 204;

  before(async function () {
    this.timeout(60_000);
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(status()).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    server = await startServer({ env: STREAMING });
    client = clientOf(() => server);
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    receiver.close();
    removeFolder(server.dataDir);
  });
  beforeEach(() => {
    received.length = 0;
    status = () => 204;
  });

  const subscribe = (types: readonly string[], more: object = {}) =>
    made<{ id: string; secret: string }>(client, AT, {
      name: types.join(),
      filters: { types },
      target: { kind: 'webhook', url },
      ...more,
    });
  const deliveriesOf = async (id: string, query = '') =>
    (await got<Deliveries>(client, `/v1/deliveries?subscription_id=${id}${query}`)).items;
  const arrived = (count: number) =>
    until(() => received.length >= count, 30_000, `${count} requests`);
  const pull = async (id: string, body: object = {}): Promise<readonly Message[]> => {
    const answer = await client.post(`${AT}/${id}/messages/pull`, body);
    expect(answer.status, answer.text).to.equal(200);
    return (answer.json() as { messages: Message[] }).messages;
  };

  it('arrive signed, and are listed as delivered', async () => {
    const { id, secret } = await subscribe(['account.created']);
    const account = await createAccount(client, book.at);
    await arrived(1);
    const [{ headers, body }] = received as [Received];
    new Webhook(secret).verify(body, headers as Record<string, string>);
    const event = HTTP.toEvent({ headers, body });
    expect(event).to.include({ type: 'studio.quipu.account.created', subject: account.id });
    expect(event).to.have.nested.property('data.id', account.id);
    expect(headers['webhook-id']).to.equal((event as { id: string }).id);

    await until(
      async () => (await deliveriesOf(id)).some((one) => one.status === 'delivered'),
      30_000,
      'the outcome is recorded',
    );
    const [delivery] = await deliveriesOf(id);
    expect(delivery).to.include({ eventId: headers['webhook-id'] });
    expect(delivery?.attempts[0]).to.include({ statusCode: 204 });
    await client.delete(`${AT}/${id}`);
  });

  it('are made again after a failure, with the same id', async () => {
    let calls = 0;
    status = () => ((calls += 1) === 1 ? 500 : 204);
    const { id } = await subscribe(['account.created']);
    await createAccount(client, book.at);
    await arrived(1);
    await until(
      async () => (await deliveriesOf(id, '&status=retrying')).length === 1,
      30_000,
      'the failure is recorded',
    );
    const [failed] = await deliveriesOf(id);
    const answer = await client.post(`/v1/deliveries/${failed!.id}/retry`, {});
    expect(answer.status, answer.text).to.be.oneOf([200, 202]);
    await arrived(2);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).to.have.length(1);
    await client.delete(`${AT}/${id}`);
  });

  it('wait while the subscription is paused, and go on without a gap', async () => {
    const { id } = await subscribe(['account.created']);
    await createAccount(client, book.at);
    await arrived(1);
    expect((await client.post(`${AT}/${id}/pause`, {})).status).to.equal(200);
    const accounts = [await createAccount(client, book.at), await createAccount(client, book.at)];
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(received).to.have.length(1);
    expect((await client.post(`${AT}/${id}/resume`, {})).status).to.equal(200);
    await arrived(3);
    const subjects = received
      .slice(1)
      .map(({ body }) => (JSON.parse(body) as { subject: string }).subject);
    expect(subjects).to.have.members(accounts.map((account) => account.id));
    await client.delete(`${AT}/${id}`);
  });

  it('end when the receiver is gone: the subscription is disabled', async () => {
    status = () => 410;
    const events = { target: { kind: 'pull' } };
    const watching = await subscribe(['streaming.subscription-disabled'], events);
    const { id } = await subscribe(['account.created']);
    await createAccount(client, book.at);
    const isDisabled = async () =>
      (await got<{ status: string }>(client, `${AT}/${id}`)).status === 'disabled';
    await until(isDisabled, 30_000, 'it is disabled');
    const isDead = async () => (await deliveriesOf(id, '&status=dead')).length === 1;
    await until(isDead, 30_000, 'its message is dead');
    const [told] = await pull(watching.id, { waitMs: 10_000 });
    expect(told!.event).to.include({
      ...{ type: 'studio.quipu.streaming.subscription-disabled', subject: id },
      systemevent: 'true',
    });
    await client.delete(`${AT}/${watching.id}`);
    status = () => 204;
    expect((await client.post(`${AT}/${id}/resume`, {})).status).to.equal(200);
    const replayed = await client.post(`${AT}/${id}/dead-letters/replay`, {
      from: '2020-01-01T00:00:00Z',
      to: '2100-01-01T00:00:00Z',
    });
    expect(replayed.status, replayed.text).to.equal(200);
    await arrived(2);
    await client.delete(`${AT}/${id}`);
  });

  it('are tried with a ping', async () => {
    const { id } = await subscribe(['nothing.at-all']);
    expect((await client.post(`${AT}/${id}/test`, {})).status).to.equal(202);
    await arrived(1);
    expect(JSON.parse(received[0]!.body)).to.include({ type: 'studio.quipu.streaming.ping' });
    await client.delete(`${AT}/${id}`);
  });

  it('can be pulled: leased, returned, offered again, acknowledged', async () => {
    const { id } = await subscribe(['transaction.posted'], { target: { kind: 'pull' } });
    expect(await pull(id)).to.deep.equal([]);
    await made(client, `${book.at}/transactions/json`, transfer('@alice', '@bob', '1'));
    const [first] = await pull(id, { waitMs: 10_000 });
    expect(first).to.include({ attempt: 1 });
    expect(HTTP.toEvent({ headers: CLOUD_EVENT, body: JSON.stringify(first!.event) })).to.include({
      type: 'studio.quipu.transaction.posted',
    });
    expect(await pull(id)).to.deep.equal([]);
    await client.post(`${AT}/${id}/messages/nack`, { leaseIds: [first!.leaseId] });
    const [second] = await pull(id, { waitMs: 10_000 });
    expect(second).to.include({ attempt: 2 });
    expect(second!.event['id']).to.equal(first!.event['id']);
    const acked = await client.post(`${AT}/${id}/messages/ack`, {
      leaseIds: [second!.leaseId, first!.leaseId],
    });
    expect(acked.json()).to.deep.equal({ acked: 1, expired: [first!.leaseId] });
    expect(await pull(id)).to.deep.equal([]);
    await client.delete(`${AT}/${id}`);
  });

  it('lose nothing when the server is killed', async function () {
    this.timeout(120_000);
    const { id } = await subscribe(['transaction.posted'], { rateLimit: 1000 });
    const posted: string[] = [];
    const post = async () => {
      const body = transfer('@alice', '@bob', '1');
      const { id: transaction } = await made<{ id: string }>(
        client,
        `${book.at}/transactions/json`,
        body,
      );
      posted.push(transaction);
    };
    for (let n = 0; n < 20; n += 1) await post();
    await killServer(server);
    client.close();
    server = await startServer({ dataDir: server.dataDir, env: STREAMING });
    client = clientOf(() => server);
    for (let n = 0; n < 5; n += 1) await post();
    const subjects = () =>
      new Set(received.map(({ body }) => (JSON.parse(body) as { subject: string }).subject));
    await until(() => subjects().size >= posted.length, 60_000, 'all have arrived');
    expect([...subjects()]).to.have.members(posted);
    expect(await deliveriesOf(id, '&status=dead')).to.deep.equal([]);
    await client.delete(`${AT}/${id}`);
  });
});

const CLOUD_EVENT = { 'content-type': 'application/cloudevents+json' };
