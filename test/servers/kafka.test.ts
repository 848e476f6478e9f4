import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { kafkajs } from '#src/adapters/kafka/driver.ts';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { openKafkaPublisher, type KafkaOptions } from '#src/adapters/kafka/publisher.ts';
import { START } from '#src/ports/event-store.ts';
import type { Draft, OutgoingRecord, Publisher, PublishFailed } from '#src/ports/publisher.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { transfer, transferTopics } from '#test/support/relayed.ts';
import { BROKERS, consume, describeOnKafka, newPlatform } from './kafka.ts';

const [, changed] = transferTopics();
const recordsOf = (n: number): readonly Draft[] => {
  const place = { stream: 'ledger-1', revision: 0, position: START };
  return changed.drafts(new LoggedEvent({ ...transfer(n), ...place }));
};
const record = (key: string, value: string): OutgoingRecord => ({ key, headers: {}, value });

describeOnKafka('publisher: Kafka', () => {
  const opening: Publisher[] = [];
  const admin = connectionTo({ brokers: BROKERS, clientId: 'test-admin' }).admin();
  let topic: string;

  const opened = async (changes: Partial<KafkaOptions> = {}): Promise<Publisher> => {
    const publisher = await openKafkaPublisher({
      brokers: BROKERS,
      clientId: 'quipu-test',
      compression: 'lz4',
      batchMaxBytes: 1_048_576,
      retries: 3,
      deliveryTimeoutMs: 30_000,
      createTopics: true,
      ...changes,
    });
    opening.push(publisher);
    return publisher;
  };
  const refused = (work: Promise<void>): Promise<PublishFailed> =>
    work.then(
      () => {
        throw new Error('It was published');
      },
      (error: unknown) => error as PublishFailed,
    );

  before(() => admin.connect());
  after(() => admin.disconnect());
  beforeEach(() => (topic = `${newPlatform()}.streaming.ledger_balance.changed`));
  afterEach(() => Promise.all(opening.splice(0).map((publisher) => publisher.close())));

  describe('topics', () => {
    it('are created as the contract says, with those for their dead letters', async () => {
      const publisher = await opened();
      expect(await publisher.provision([topic])).to.deep.equal([]);

      const { topics } = await admin.fetchTopicMetadata({ topics: [topic, `${topic}.dlq`] });
      expect(topics.map(({ name, partitions }) => [name, partitions.length])).to.have.deep.members([
        [topic, 6],
        [`${topic}.dlq`, 1],
      ]);
      expect(await retentionDays(topic)).to.equal(7);
      expect(await retentionDays(`${topic}.dlq`)).to.equal(30);
      expect(await publisher.provision([topic])).to.deep.equal([]); // Nothing to do.
    });

    it('are only named where they may not be created', async () => {
      const publisher = await opened({ createTopics: false });
      expect(await publisher.provision([topic])).to.deep.equal([topic, `${topic}.dlq`]);
      expect(await admin.listTopics()).to.not.include(topic);
    });

    it('that are missing fail a record by that class; it goes out once its topic is there', async () => {
      const publisher = await opened({ retries: 1 });
      const failure = await refused(publisher.publish(topic, recordsOf(1)));
      expect(failure).to.include({ errorClass: 'topic_not_found', acknowledged: 0 });

      await publisher.provision([topic]);
      await publisher.publish(topic, recordsOf(1));
      expect(await consume([topic], 2)).to.have.length(2);
    });
  });

  for (const compression of ['lz4', 'zstd', 'gzip', 'none'] as const) {
    it(`brings records as they are through ${compression}`, async () => {
      const publisher = await opened({ compression });
      await publisher.provision([topic]);
      const records = [1, 2, 3].flatMap(recordsOf);
      await publisher.publish(topic, records);

      const consumed = await consume([topic], records.length);
      const bare = consumed.map(({ key, headers, value }) => ({ key, headers, value }));
      expect(bare).to.have.deep.members(records);
    });
  }

  it('keeps the order of each key, whatever else goes on', async () => {
    const publisher = await opened();
    await publisher.provision([topic]);
    for (let n = 1; n <= 300; n += 30) {
      const load = Array.from({ length: 30 }, (_, more) => recordsOf(n + more)).flat();
      await publisher.publish(topic, load);
    }
    const consumed = await consume([topic], 600);
    const byKey = Map.groupBy(consumed, ({ key }) => key);
    expect(byKey.size).to.equal(2);
    for (const ofKey of byKey.values()) {
      expect(new Set(ofKey.map(({ partition }) => partition))).to.have.length(1);
      const versions = ofKey.map(({ value }) => (JSON.parse(value) as { version: number }).version);
      expect(versions).to.deep.equal(Array.from({ length: 300 }, (_, at) => at + 1));
    }
  });

  it('puts keys where every client of Kafka looks for them', async () => {
    const publisher = await opened();
    await publisher.provision([topic]);
    const keys = ['a', 'quipu', '0190a1c0-0000-7000-8000-0000000000aa', 'ñandú', ''];
    await publisher.publish(
      topic,
      keys.map((key) => record(key, '{}')),
    );
    const consumed = await consume([topic], keys.length);
    const found = keys.map((key) => consumed.find((one) => one.key === key)?.partition);
    // org.apache.kafka.common.utils.Utils: toPositive(murmur2(key)) % 6
    expect(found).to.deep.equal(keys.map((key) => (murmur2(Buffer.from(key)) & 0x7fffffff) % 6));
  });

  it('publishes all but a record that is too large, and says which one it is', async () => {
    const publisher = await opened({ compression: 'none' });
    await publisher.provision([topic]);
    const records = [
      ...[record('a', '1'), record('a', '2')],
      record('a', JSON.stringify('x'.repeat(2_000_000))),
      record('a', '4'),
    ];
    const failure = await refused(publisher.publish(topic, records));
    expect(failure).to.include({ errorClass: 'serialization_error', acknowledged: 2 });
    await publisher.publish(topic, records.slice(3));
    expect((await consume([topic], 3)).map(({ value }) => value)).to.deep.equal(['1', '2', '4']);
  });

  it('finds the one that is too large also where the topic takes less than a request', async () => {
    await admin.createTopics({
      topics: [{ topic, configEntries: [{ name: 'max.message.bytes', value: '2000' }] }],
    });
    const publisher = await opened({ compression: 'none' });
    const noise = (length: number) => JSON.stringify(randomBytes(length / 2).toString('hex'));
    const records = [500, 1500, 500, 5000, 500].map((length) => record('a', noise(length)));
    const failure = await refused(publisher.publish(topic, records));
    expect(failure).to.include({ errorClass: 'serialization_error', acknowledged: 3 });
    await publisher.publish(topic, records.slice(4));
    const lengths = (await consume([topic], 4)).map(({ value }) => value.length - 2);
    expect(lengths).to.deep.equal([500, 1500, 500, 500]);
  });

  it('loses nothing after a failed send that reached some partitions: its numbers start anew', async () => {
    await admin.createTopics({
      topics: [
        {
          ...{ topic, numPartitions: 6 },
          configEntries: [{ name: 'max.message.bytes', value: '2000' }],
        },
      ],
    });
    const publisher = await opened({ compression: 'none', retries: 1 });
    const noise = randomBytes(2500).toString('hex');
    // One of the partitions refuses its part, the others take theirs.
    const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    const mixed = keys.map((key, n) => record(key, JSON.stringify(n === 7 ? noise : 'before')));
    await refused(publisher.publish(topic, mixed));
    await publisher.publish(
      topic,
      keys.map((key) => record(key, '"after"')),
    );
    const consumed = await consume([topic], 39);
    const after = consumed.filter(({ value }) => value === '"after"').map(({ key }) => key);
    expect(after.sort()).to.deep.equal(keys.sort());
  });

  it('fails in time while no broker is there', async () => {
    const publisher = await opened({ brokers: ['127.0.0.1:1'], deliveryTimeoutMs: 1000 });
    const failure = await refused(publisher.publish(topic, recordsOf(1)));
    expect(['broker_unavailable', 'network_timeout']).to.include(failure.errorClass);
    expect(failure.acknowledged).to.equal(0);
  });

  it('publishes nothing any more once closed', async () => {
    const publisher = await opened();
    await publisher.close();
    const failure = await refused(publisher.publish(topic, recordsOf(1)));
    expect(failure.errorClass).to.equal('context_canceled');
  });

  async function retentionDays(name: string): Promise<number> {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: ['retention.ms'] }],
    });
    return Number(resources[0]?.configEntries[0]?.configValue) / 86_400_000;
  }
});

/** Murmur2 as Kafka's Java client has it, written down a second time. */
function murmur2(data: Buffer): number {
  const m = 0x5bd1e995;
  let h = 0x9747b28c ^ data.length;
  let at = 0;
  for (; at + 4 <= data.length; at += 4) {
    let k = Math.imul(data.readInt32LE(at), m);
    k = Math.imul(k ^ (k >>> 24), m);
    h = Math.imul(h, m) ^ k;
  }
  const rest = data.length - at;
  if (rest >= 3) h ^= data.readUInt8(at + 2) << 16;
  if (rest >= 2) h ^= data.readUInt8(at + 1) << 8;
  if (rest >= 1) h = Math.imul(h ^ data.readUInt8(at), m);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}
