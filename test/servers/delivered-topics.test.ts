import { expect } from 'chai';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import { createAccount, got, made, openBook } from '#test/e2e/books.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import {
  killServer,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';
import {
  consumedBy,
  eventOf,
  expectOrder,
  openReceiver,
  publisherTo,
  type CloudEventBody,
} from './other-producer.ts';
import { hasOwnKafka, startOwnKafka } from './own-kafka.ts';

type Deliveries = Readonly<{ items: readonly Readonly<{ eventId: string; status: string }>[] }>;

const AT = '/v1/subscriptions';

/** A server whose delivery service consumes the topics of one platform, and a receiver of its webhooks. */
async function stage(brokers: readonly string[], platform: string) {
  const receiver = await openReceiver();
  const env = {
    STREAMING_ENABLED: 'true',
    STREAMING_CLOUDEVENTS_SOURCE: `${platform}.ledger`,
    STREAMING_CONSUMER_ENABLED: 'true',
    STREAMING_CONSUMER_BROKERS: brokers.join(','),
    STREAMING_CONSUMER_GROUP: `${platform}.delivery`,
    STREAMING_CONSUMER_TOPICS: `^${platform}\\.`,
    DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8',
    PLATFORM: platform,
  };
  let server = await startServer({ env });
  const client: Client = clientOf(() => server);
  return {
    ...{ client, received: receiver.received },
    server: (): Server => server,
    async restart() {
      server = await startServer({ env, dataDir: server.dataDir });
    },
    subscribe: async (types: readonly string[], more: object = {}) => {
      const target = { kind: 'webhook', url: receiver.url };
      const body = { name: types.join(), filters: { types }, target, rateLimit: 1000, ...more };
      return (await made<{ id: string }>(client, AT, body)).id;
    },
    ids: () => receiver.received.map(({ id }) => id),
    deliveries: async (id: string, page = 1) =>
      (await got<Deliveries>(client, `/v1/deliveries?subscription_id=${id}&limit=100&page=${page}`))
        .items,
    consumed: (outcome: string) => consumedBy(server, outcome),
    async close() {
      client.close();
      const code = await stopServer(server);
      await receiver.close();
      removeFolder(server.dataDir);
      return code;
    },
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

describeOnKafka('events of other producers', () => {
  const platform = newPlatform();
  const topic = `${platform}.streaming.companion_limit.activated`;
  let at: Stage;
  let publisher: Publisher;
  before(async () => {
    publisher = await publisherTo(BROKERS);
    await publisher.provision([topic]);
    at = await stage(BROKERS, platform);
  });
  after(async () => {
    await publisher.close();
    expect(await at.close()).to.equal(0);
  });

  it('reach a webhook and a consumer that pulls, once each, as they were published', async () => {
    const sent = await at.subscribe(['limit.*']);
    const pulled = await at.subscribe(['limit.activated'], { target: { kind: 'pull' } });
    const event = eventOf();
    await publisher.publish(topic, [event]);
    await until(() => at.received.length > 0, 60_000, 'the webhook');
    expect(at.received[0]).to.deep.include({
      ...{ id: event.headers['ce-id'], source: 'other.companion' },
      ...{ type: 'studio.other.limit.activated', data: JSON.parse(event.value) as object },
    });

    await publisher.publish(topic, [event]); // As a relay does after a crash.
    await until(async () => (await at.consumed('repeated')) === 1, 30_000, 'the repetition');
    expect(at.received).to.have.length(1);
    expect(await at.deliveries(sent)).to.have.length(1);
    const answer = await at.client.post(`${AT}/${pulled}/messages/pull`, { waitMs: 5000 });
    const { messages } = answer.json() as { messages: { event: CloudEventBody }[] };
    expect(messages.map((one) => one.event.id)).to.deep.equal([event.headers['ce-id']]);
    await until(
      async () => (await at.deliveries(sent))[0]?.status === 'delivered',
      30_000,
      'the outcome',
    );
    for (const id of [sent, pulled]) await at.client.delete(`${AT}/${id}`);
  });

  it('of a topic that is new reach it too, and those of other tenants do not', async () => {
    const id = await at.subscribe(['contract.signed']);
    at.received.length = 0;
    const fresh = `${platform}.contract.signed`;
    await publisher.provision([fresh]);
    const key = { 'ce-resourcetype': 'contract', 'ce-eventtype': 'signed' };
    const type = 'studio.other.contract.signed';
    const signed = (changes: Record<string, string>) =>
      eventOf({ ...key, 'ce-type': type, ...changes });
    const ours = [signed({}), signed({ 'ce-tenantid': 'default' })];
    const theirs = signed({ 'ce-tenantid': 'acme' });
    const second = signed({ 'ce-schemaversion': '2.0.0' });
    await publisher.publish(fresh, [theirs, ...ours, second]);
    await until(() => at.received.length >= 3, 60_000, 'the events');
    const expected = [...ours, second].map(({ headers }) => headers['ce-id']);
    expect(at.ids()).to.have.members(expected);
    expect(await at.deliveries(id)).to.have.length(3);
    await at.client.delete(`${AT}/${id}`);
  });

  it('that cannot be delivered go to the dead letters, and those behind them arrive', async () => {
    const id = await at.subscribe(['limit.*']);
    at.received.length = 0;
    const { 'ce-id': _, ...headers } = eventOf().headers;
    const hostile = [
      { ...eventOf(), headers },
      { ...eventOf(), value: '{' },
      { ...eventOf(), value: JSON.stringify({ text: 'x'.repeat(1_048_576) }) },
      eventOf({ 'ce-time': 'yesterday' }),
      eventOf({ 'ce-subject': 'x'.repeat(2000) }),
      eventOf({ 'ce-subject': 'a\r\nb' }),
      eventOf({ 'ce-schemaversion': '2.0.0' }),
    ];
    const good = eventOf({ host: 'evil.example', 'ce-data': '{}', 'ce-extra': 'é' });
    await publisher.publish(
      topic,
      [...hostile, good].map((one) => ({ ...one, key: 'same' })),
    );
    await until(() => at.received.length > 0, 60_000, 'the good one');
    expect(at.ids()).to.deep.equal([good.headers['ce-id']]);
    expect(at.received[0]).to.include({ extra: 'é' }).and.not.to.have.property('host');
    expect(at.received[0]?.data).to.deep.equal(JSON.parse(good.value));

    const letters = await consume([`${topic}.dlq`], hostile.length);
    const kinds = letters.map((one) => one.headers[`x-${platform}-dlq-cause-kind`]);
    expect(kinds).to.deep.equal([...Array<string>(6).fill('malformed'), 'unknown_major']);
    expect(letters.map(({ value }) => value)).to.deep.equal(hostile.map(({ value }) => value));
    await at.client.delete(`${AT}/${id}`);
  });

  it('keep in their dead letters the bytes that are not text', async () => {
    const binary = `${platform}.match.completed`;
    await publisher.provision([binary]);
    const kafka = connectionTo({ brokers: BROKERS, clientId: 'test' });
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const value = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0x00]),
      Buffer.from('"}'),
    ]);
    const { headers } = eventOf();
    await producer.send({ topic: binary, messages: [{ key: 'a', headers, value }] });
    await producer.disconnect();
    const consumer = kafka.consumer({ groupId: `${platform}.letters` });
    const letter = Promise.withResolvers<Buffer | null>();
    await consumer.connect();
    await consumer.subscribe({ topics: [`${binary}.dlq`], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => letter.resolve(message.value) });
    expect(await letter.promise).to.deep.equal(value);
    await consumer.disconnect();
  });

  it('are those of others only: its own come from the log, once', async () => {
    const id = await at.subscribe(['account.created']);
    at.received.length = 0;
    const book = await openBook(at.client);
    await createAccount(at.client, book.at);
    await until(() => at.received.length > 0, 60_000, 'the webhook');
    const own = at.received[0]!;
    const copy = eventOf({ 'ce-id': own.id, 'ce-source': own.source, 'ce-type': own.type });
    const before = await at.consumed('own');
    await publisher.publish(topic, [copy]); // As its relay publishes it.
    await until(async () => (await at.consumed('own')) > before, 30_000, 'the copy');
    expect(at.ids()).to.deep.equal([own.id]);
    expect(await at.deliveries(id)).to.have.length(1);
    await at.client.delete(`${AT}/${id}`);
  });
});

describeOnKafka('events of other producers, and crashes', () => {
  it('arrive all, each planned once, however often the server is killed', async function () {
    this.timeout(400_000);
    const platform = newPlatform();
    const topic = `${platform}.streaming.companion_limit.activated`;
    const publisher = await publisherTo(BROKERS);
    await publisher.provision([topic]);
    const at = await stage(BROKERS, platform);
    const id = await at.subscribe(['limit.*'], { ordering: 'key' });
    const sent: OutgoingRecord[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = at.received.length;
      const batch = Array.from({ length: EVENTS }, (_, n) => eventOf({}, sent.length + n));
      sent.push(...batch);
      await publisher.publish(topic, batch);
      // Within half a second, the positions of these are not committed.
      await until(() => at.received.length > before + 20, 60_000, 'some of them');
      await killServer(at.server());
      await at.restart();
      await until(() => new Set(at.ids()).size === sent.length, 90_000, 'all of them');
      await publisher.publish(topic, batch.slice(0, REPEATED)); // As a relay does that was killed too.
      const known = async () => (await at.consumed('repeated')) >= REPEATED;
      await until(known, 30_000, 'what came again');
    }
    expect(new Set(at.ids())).to.deep.equal(new Set(sent.map(({ headers }) => headers['ce-id'])));
    const rows = [];
    for (let page = 1; rows.length === (page - 1) * 100; page += 1) {
      rows.push(...(await at.deliveries(id, page)));
    }
    expect(rows).to.have.length(sent.length);
    expectOrder(at.received);
    await publisher.close();
    expect(await at.close()).to.equal(0);
  });

  it('wait while the broker is away: readiness says so, and the API goes on', async function () {
    if (!hasOwnKafka()) this.skip();
    this.timeout(240_000);
    const kafka = await startOwnKafka();
    const platform = newPlatform();
    const topic = `${platform}.streaming.companion_limit.activated`;
    const publisher = await publisherTo(kafka.brokers);
    await publisher.provision([topic]);
    const at = await stage(kafka.brokers, platform);
    const check = async () => {
      const { checks, status } = await got<Readiness>(at.client, '/readyz');
      return { ready: status, ...checks['consumed_topics'] };
    };
    try {
      await at.subscribe(['limit.*']);
      await publisher.publish(topic, [eventOf()]);
      await until(() => at.received.length === 1, 60_000, 'the first event');
      await until(async () => (await check()).status === 'up', 30_000, 'it consumes');
      expect(await check()).to.include({ detail: '1 topics' });

      await kafka.kill();
      await until(async () => (await check()).status === 'down', 90_000, 'it says so');
      expect((await at.client.get('/readyz')).status).to.equal(200);
      await openBook(at.client);
      await kafka.up();
      await publisher.publish(topic, [eventOf()]);
      await until(() => at.received.length === 2, 120_000, 'the second event');
      await until(async () => (await check()).status === 'up', 30_000, 'it consumes again');

      await kafka.kill();
      expect(await at.close()).to.equal(0);
    } finally {
      await publisher.close();
      await kafka.remove();
    }
  });
});

type Readiness = Readonly<{
  status: string;
  checks: Record<string, Readonly<{ status: string; detail?: string }>>;
}>;

const KILLS = 5;
const EVENTS = 300;
const REPEATED = 20;
