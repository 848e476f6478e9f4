import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  createProducer,
  type EventProducer,
  type ProducerOptions,
} from '#src/library/streaming.ts';
import { until } from '#test/support/until.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';
import { hasOwnKafka, startOwnKafka } from './own-kafka.ts';
import { AMQP_URL, describeOnRabbit, newExchange } from './rabbitmq.ts';

const open: EventProducer[] = [];
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'producer-'));
  folders.push(folder);
  return folder;
};
const created = async (options: ProducerOptions): Promise<EventProducer> => {
  const producer = await createProducer(options);
  open.push(producer);
  return producer;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((producer) => producer.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const onKafka = (brokers: readonly string[], changes: Record<string, string> = {}) => ({
  STREAMING_ENABLED: 'true',
  STREAMING_BROKERS: brokers.join(','),
  STREAMING_TOPICS_AUTOCREATE: 'true',
  ...changes,
});

describeOnKafka('producers on Kafka', () => {
  it('publish contracts of both majors, each on its topic, and the command of their own namespace', async () => {
    const source = `lending-${randomUUID().slice(0, 8)}`;
    const platform = newPlatform();
    const settings = onKafka(BROKERS);
    const producer = await created({
      ...{ producer: 'lending', platform, source, settings, folder: newFolder() },
    });
    const emitted = [
      ['contract.signed', '1.0.0', `${source}.contract.signed`],
      ['contract.signed', '2.0.0', `${source}.contract.signed.v2`],
      ['payment.requested', '1.0.0', `${source}.payment.requested`],
    ] as const;
    const sent = [];
    for (const [key, schemaVersion, topic] of emitted) {
      const payload = { id: randomUUID(), amount: '10.50' };
      const receipt = await producer.emit(key, { payload, schemaVersion, tenantId: 'acme' });
      sent.push({ key, schemaVersion, topic, payload, ...receipt });
    }

    const topics = sent.map(({ topic }) => topic);
    await until(() => producer.report().relay?.lanes.every(({ published }) => published === 1) === true, 60_000, 'all are published'); // prettier-ignore
    const consumed = await consume(topics, 3);
    expect(consumed).to.have.length(3);
    for (const { key, schemaVersion, topic, payload, id, outcome } of sent) {
      expect(outcome).to.equal('logged');
      const [resource, event] = key.split('.');
      const record = consumed.find((one) => one.topic === topic);
      expect(record?.key).to.equal(`acme:${payload.id}`);
      expect(JSON.parse(record?.value ?? '')).to.deep.equal(payload);
      const { 'ce-time': time, ...headers } = record?.headers ?? {};
      expect(Date.parse(time ?? '')).to.be.closeTo(Date.now(), 60_000);
      expect(headers).to.deep.equal({
        'ce-specversion': '1.0',
        'ce-id': id,
        'ce-source': source,
        'ce-type': `studio.${platform}.${key}`,
        'ce-resourcetype': resource,
        'ce-eventtype': event,
        'ce-schemaversion': schemaVersion,
        'ce-subject': payload.id,
        'ce-tenantid': 'acme',
        'ce-datacontenttype': 'application/json',
      });
    }
  });

  it('send a signal when it happens, from a source that needs sanitizing', async () => {
    const own = randomUUID().slice(0, 8);
    const source = `Match Core/${own}`;
    const topic = `match-core-${own}.match.completed`;
    const settings = onKafka(BROKERS, { STREAMING_EVENT_POLICIES: 'match.completed.outbox=never' });
    const producer = await created({
      producer: 'matching',
      platform: newPlatform(),
      source,
      settings,
    });
    const payload = { id: randomUUID() };
    let receipt = await producer.emit('match.completed', { payload });
    // The topic may not be created yet: what may not be logged is lost then.
    while (receipt.outcome !== 'sent')
      receipt = await producer.emit('match.completed', { payload });
    const consumed = await consume([topic], 1);
    expect(consumed.map(({ headers }) => headers['ce-id'])).to.deep.equal([receipt.id]);
    expect(consumed[0]?.headers['ce-source']).to.equal(source);
    expect(consumed[0]?.headers).to.not.have.property('ce-tenantid');
  });

  (hasOwnKafka() ? it : it.skip)(
    'keep signals while the broker is down, and publish them with their ids when it is up',
    async () => {
      // prettier-ignore
      const broker = await startOwnKafka();
      try {
        const settings = onKafka(broker.brokers, {
          STREAMING_IMPORTANT_EMIT_TIMEOUT_MS: '1000',
          STREAMING_RECORD_DELIVERY_TIMEOUT_S: '2',
          STREAMING_CB_MIN_REQUESTS: '2',
          STREAMING_CB_TIMEOUT_S: '2',
        });
        const options = { producer: 'matching', platform: 'quipu', source: 'matching', settings };
        const producer = await created({ ...options, folder: newFolder() });
        const ids: string[] = [];
        const emit = async () => {
          const payload = { id: '0190a1c0-0000-7000-8000-0000000000aa', number: ids.length };
          const { id, outcome } = await producer.emit('match.completed', { payload });
          ids.push(id);
          return outcome;
        };
        await until(async () => (await emit()) === 'sent', 60_000, 'the topic is there');

        await broker.kill();
        const whileDown = [];
        for (let n = 0; n < 20; n += 1) whileDown.push(await emit());
        expect(new Set(whileDown)).to.deep.equal(new Set(['logged']));

        await broker.up();
        await until(
          async () => (await emit()) === 'sent',
          60_000,
          'signals are sent directly again',
        );
        expect(producer.report().outcomes).to.include({ dropped: 0, dead: 0 });

        const consumed = await consume(
          ['matching.match.completed'],
          (all) => new Set(all.map(({ headers }) => headers['ce-id'])).size >= ids.length,
          broker.brokers,
        );
        const arrived = consumed.map(({ headers }) => headers['ce-id'] ?? '');
        // The first delivery of each is in the order in which they happened.
        expect([...new Set(arrived)]).to.deep.equal(ids);
      } finally {
        await Promise.all(open.splice(0).map((producer) => producer.close()));
        await broker.remove();
      }
    },
  );
});

describeOnRabbit('producers on RabbitMQ', () => {
  for (const [name, key] of [
    ['reporting', 'report.finished'],
    ['data-fetching', 'extraction.finished'],
  ] as const) {
    it(`publish ${key} to the exchange by its key, and the tenant in a header of its own`, async () => {
      const broker = await newExchange();
      try {
        const { received, receive } = await broker.queue(key);
        await receive();
        const settings = {
          STREAMING_ENABLED: 'true',
          STREAMING_RABBITMQ_URL: AMQP_URL,
          STREAMING_RABBITMQ_EXCHANGE: broker.exchange,
        };
        const options = { producer: name, platform: 'quipu', source: `the.${name}`, settings };
        const producer = await created({ ...options, folder: newFolder() });
        const payload = { id: randomUUID(), pages: 3 };
        const { id, outcome } = await producer.emit(key, { payload, tenantId: 'acme' });
        expect(outcome).to.equal('sent');
        await until(() => received.length === 1, 30_000, 'the message is there');
        const { content, fields, properties } = received[0]!;
        expect(JSON.parse(content.toString())).to.deep.equal(payload);
        expect(fields).to.include({ exchange: broker.exchange, routingKey: key });
        expect(properties.headers).to.include({
          'ce-id': id,
          'ce-source': `the.${name}`,
          'ce-type': `studio.quipu.${key}`,
          'ce-tenantid': 'acme',
          'X-Tenant-ID': 'acme',
        });
        expect(properties).to.include({ messageId: id, deliveryMode: 2 });
      } finally {
        await broker.remove();
      }
    });
  }
});
