import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { openKafkaPublisher } from '#src/adapters/kafka/publisher.ts';
import { openRabbitPublisher } from '#src/adapters/rabbitmq/publisher.ts';
import {
  createConsumer,
  kafkaSource,
  rabbitSource,
  sqliteSeenIds,
  type EventConsumer,
  type MessageSource,
  type ReceivedEvent,
} from '#src/library/consumer.ts';
import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import { until } from '#test/support/until.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';
import { AMQP_URL, cuttable, describeOnRabbit, newExchange } from './rabbitmq.ts';

const record = (n: number, changes: Record<string, string> = {}): OutgoingRecord => ({
  key: `key-${n % 5}`,
  headers: {
    'ce-specversion': '1.0',
    'ce-id': randomUUID(),
    'ce-source': 'test',
    'ce-type': 'studio.quipu.match.completed',
    'ce-time': '2026-01-05T12:00:00.123456Z',
    'ce-resourcetype': 'match',
    'ce-eventtype': 'completed',
    'ce-schemaversion': '1.0.0',
    ...changes,
  },
  value: JSON.stringify({ n }),
});

const running: EventConsumer[] = [];
let db: DatabaseSync;
beforeEach(() => (db = new DatabaseSync(':memory:')));
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.close()));
  db.close();
});

const started = (source: MessageSource, handle: (event: ReceivedEvent) => void): EventConsumer => {
  const store = sqliteSeenIds(db);
  const settings = {
    STREAMING_CONSUMER_RETRY_BACKOFF_INITIAL_MS: '10',
    STREAMING_CONSUMER_CLIENT_ID: 'test-billing',
  };
  const consumer = createConsumer({ source, store, handle, settings, platform: 'quipu' });
  running.push(consumer);
  consumer.run().catch((error: unknown) => {
    console.error(error);
  });
  return consumer;
};

/** Handles numbers, and fails on one of them. */
const numbers = (bad: number) => {
  const handled: number[] = [];
  return {
    handled,
    handle: ({ data }: ReceivedEvent): void => {
      if (data['n'] === bad) throw new Error('It is bad');
      handled.push(Number(data['n']));
    },
  };
};

describeOnKafka('consumers of Kafka', () => {
  let topic: string;
  let publisher: Publisher;
  const sourceOf = (group: string) =>
    kafkaSource({
      STREAMING_CONSUMER_BROKERS: BROKERS.join(','),
      STREAMING_CONSUMER_GROUP: group,
      STREAMING_CONSUMER_TOPICS: topic,
      STREAMING_CONSUMER_CLOSE_TIMEOUT_S: '5',
    });

  beforeEach(async () => {
    topic = `${newPlatform()}.streaming.match.completed`;
    publisher = await openKafkaPublisher({
      ...{ brokers: BROKERS, clientId: 'test', compression: 'lz4', batchMaxBytes: 1_048_576 },
      ...{ retries: 3, deliveryTimeoutMs: 30_000, createTopics: true },
    });
    await publisher.provision([topic]);
  });
  afterEach(() => publisher.close());

  it('handle each event once, in the order of its key; another member goes on where they end', async () => {
    const group = `test-${randomUUID()}`;
    const records = Array.from({ length: 200 }, (_, n) => record(n));
    await publisher.publish(topic, records);
    await publisher.publish(topic, records.slice(0, 50)); // As a relay does after a crash.
    const { handled, handle } = numbers(-1);
    const first = started(sourceOf(group), handle);
    await until(() => first.report().handled + first.report().repeated === 250, 60_000, 'all');
    expect(first.report()).to.include({ handled: 200, repeated: 50, dead: 0 });
    for (let key = 0; key < 5; key += 1) {
      const ofKey = handled.filter((n) => n % 5 === key);
      expect(ofKey).to.deep.equal(ofKey.toSorted((a, b) => a - b));
    }
    await running.pop()?.close();

    await publisher.publish(topic, [record(200)]);
    const second = started(sourceOf(group), handle);
    await until(() => handled.includes(200), 60_000, 'the last one');
    expect(second.report()).to.include({ handled: 1, repeated: 0 });
  });

  it('bury what they cannot handle, with its place, and park what is newer than they are', async () => {
    const newer = record(2, { 'ce-schemaversion': '2.0.0' });
    await publisher.publish(topic, [record(1), newer, record(3)]);
    const { handled, handle } = numbers(1);
    const consumer = started(sourceOf(`test-${randomUUID()}`), handle);
    await until(() => consumer.report().dead + consumer.report().parked === 2, 60_000, 'both');
    await until(() => handled.includes(3), 60_000, 'the good one');

    const letters = await consume([`${topic}.dlq`], 2);
    const prefix = 'x-quipu-dlq-';
    const kinds = letters.map(({ headers }) => headers[`${prefix}cause-kind`]).sort();
    expect(kinds).to.deep.equal(['handler_failed', 'unknown_major']);
    for (const { headers, value } of letters) {
      expect(headers).to.include({ [`${prefix}source-topic`]: topic, 'ce-source': 'test' });
      expect(headers[`${prefix}source-partition`]).to.match(/^[0-5]$/);
      expect(headers[`${prefix}source-offset`]).to.match(/^\d+$/);
      expect([1, 2]).to.include((JSON.parse(value) as { n: number }).n);
    }
  });
});

describeOnRabbit('consumers of RabbitMQ', () => {
  it('handle each message once in order, bury what fails, and go on after a lost connection', async () => {
    const broker = await newExchange();
    const queue = `test-${randomUUID()}`;
    await broker.channel.assertQueue(queue, { durable: true });
    await broker.channel.bindQueue(queue, broker.exchange, 'match.completed');
    const letters = await broker.queue('match.completed', `${broker.exchange}.dlx`);
    await letters.receive();
    const { exchange } = broker;
    const settings = { url: AMQP_URL, exchange, clientId: 'test', deliveryTimeoutMs: 20_000 };
    const publisher = openRabbitPublisher(settings);
    const way = await cuttable(AMQP_URL);
    try {
      const records = Array.from({ length: 100 }, (_, n) => record(n));
      await publisher.publish('', [...records, records[0]!]);
      const { handled, handle } = numbers(7);
      const consumer = started(rabbitSource({ url: way.url, queue }), handle);
      await until(() => consumer.report().repeated === 1, 60_000, 'all');
      expect(handled).to.deep.equal(records.map((_, n) => n).filter((n) => n !== 7));
      await until(() => letters.received.length === 1, 30_000, 'the dead letter');

      way.cut();
      await publisher.publish('', [record(100)]);
      way.mend();
      await until(() => handled.includes(100), 60_000, 'the message of a later connection');
      // Messages whose acknowledgement was cut off come again, and only the bad one is tried again.
      expect(consumer.report().handled).to.equal(100);
      expect(new Set(handled)).to.have.length(100);
      expect(letters.received[0]?.properties.headers).to.include({
        'ce-id': records[7]?.headers['ce-id'],
        'x-quipu-dlq-cause-kind': 'handler_failed',
        'x-quipu-dlq-source-topic': `${exchange}/match.completed`,
        'x-quipu-dlq-retry-count': '3',
      });
    } finally {
      await running.pop()?.close();
      await way.close();
      await publisher.close();
      await broker.channel.deleteQueue(queue);
      await broker.remove();
    }
  });
});
