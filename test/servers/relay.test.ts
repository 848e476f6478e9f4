import { expect } from 'chai';
import {
  MemoryCheckpointStore,
  type MemoryCheckpoints,
} from '#test/doubles/memory/checkpoint-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { startRelayRole, type RelayRole } from '#src/bootstrap/relay-role.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';
import { definitions } from '#src/bootstrap/definitions.ts';
import { readStreamingSettings, type RelayedStreaming } from '#src/bootstrap/streaming-settings.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { systemTopicsOf } from '#src/bridge/streaming/system-event.ts';
import { catalogOf, producer, transfer, transferTopics } from '#test/support/relayed.ts';
import { BROKERS, consume, describeOnKafka, newPlatform, type Consumed } from './kafka.ts';
import { AMQP_URL, describeOnRabbit, newExchange, until } from './rabbitmq.ts';

const transfers = (count: number, from = 1): NewEvent[] =>
  Array.from({ length: count }, (_, n) => transfer(from + n));
const published = (role: RelayRole): number =>
  role.report().lanes.reduce((sum, lane) => sum + lane.published, 0);
/** The topics of the catalog whose records the broker does not take. */
const inTrouble = (role: RelayRole) =>
  role.report().lanes.filter(({ trouble }) => trouble !== undefined);

/** A log, and relays that come and go over it. */
function world(platform: string, target: Record<string, string>) {
  const log = new MemoryLog();
  const saved: MemoryCheckpoints = new Map();
  const store = new MemoryEventStore({ scheduler: systemScheduler, log });
  const faults: string[] = [];
  let fence = 0;
  return {
    log,
    saved,
    faults,
    append: (events: readonly NewEvent[]) =>
      store.append('ledger-1', events, log.revision('ledger-1')),
    async start(changes: Record<string, string> = {}): Promise<RelayRole> {
      const reader = new SettingReader({
        STREAMING_ENABLED: 'true',
        STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
        STREAMING_START_AT: 'beginning',
        ...target,
        ...changes,
      });
      const settings = readStreamingSettings(reader, definitions);
      expect(reader.mistakes).to.deep.equal([]);
      return startRelayRole({
        settings: settings as RelayedStreaming,
        platform,
        tenancy: undefined,
        log: store,
        checkpoints: new MemoryCheckpointStore(systemScheduler, saved),
        fence: (fence += 1),
        completeReplay: async () => {},
        onReport: () => {},
        onFault: ({ message }) => faults.push(message),
      });
    },
    /** All that the contract says must arrive, by topic. */
    expected() {
      const events = log.readAll(START, 100_000).map((event) => new LoggedEvent(event));
      return transferTopics({ platform }).flatMap(({ name, drafts }) =>
        events.flatMap(drafts).map((draft) => ({ topic: name, ...draft })),
      );
    },
  };
}

describeOnKafka('relay to Kafka', () => {
  let at: ReturnType<typeof world>;
  let topics: readonly string[];
  let platform: string;
  const roles: RelayRole[] = [];
  const started = async (changes?: Record<string, string>): Promise<RelayRole> => {
    const role = await at.start(changes);
    roles.push(role);
    return role;
  };

  beforeEach(() => {
    platform = newPlatform();
    topics = transferTopics({ platform }).map(({ name }) => name);
    at = world(platform, {
      STREAMING_BROKERS: BROKERS.join(','),
      STREAMING_TOPICS_AUTOCREATE: 'true',
    });
  });
  afterEach(() => Promise.all(roles.splice(0).map((role) => role.stop())));

  it('brings every record to a consumer as the contract says, byte for byte, once', async () => {
    await at.append(transfers(200));
    const role = await started();
    await until(() => published(role) === 600, 60_000);
    await at.append(transfers(100, 201));

    const consumed = await consume(topics, 900);
    const bare = consumed.map(({ topic, key, headers, value }) => ({ topic, key, headers, value }));
    expect(bare).to.have.deep.members(at.expected());
  });

  it('goes on behind a relay that vanished: nothing is lost, what comes twice has its id', async () => {
    await at.append(transfers(300));
    const first = await started({ STREAMING_MAX_BUFFERED_RECORDS: '40' });
    await until(() => published(first) > 100, 60_000);
    const before = new Map(at.saved); // What its disk held when it vanished.
    await first.stop();
    at.saved.clear();
    for (const [lane, checkpoint] of before) at.saved.set(lane, checkpoint);
    await started();

    const idsOf = (all: readonly Consumed[]) => new Set(all.map(({ headers }) => headers['ce-id']));
    const consumed = await consume(topics, (all) => idsOf(all).size >= 900);
    const ids = idsOf(consumed);
    expect(ids).to.have.length(900);
    const seen = new Set<string>();
    const firsts = consumed.filter(({ headers }) => {
      const id = headers['ce-id'] ?? '';
      return !seen.has(id) && seen.add(id);
    });
    const balances = Map.groupBy(
      firsts.filter(({ topic }) => topic === topics[1]),
      ({ key }) => key,
    );
    for (const ofKey of balances.values()) {
      const versions = ofKey.map(({ value }) => (JSON.parse(value) as { version: number }).version);
      expect(versions).to.deep.equal(Array.from({ length: 300 }, (_, n) => n + 1));
    }
  });

  it('names topics that are missing, and waits for them', async () => {
    await at.append(transfers(1));
    const role = await started({
      STREAMING_TOPICS_AUTOCREATE: 'false',
      STREAMING_RECORD_RETRIES: '1',
    });
    await until(() => role.missingTopics() !== undefined, 60_000);
    const topicsOfAll = [...catalogOf({ platform }), ...systemTopicsOf({ ...producer, platform })];
    const all = topicsOfAll.flatMap(({ name }) => [name, `${name}.dlq`]);
    expect(role.missingTopics()).to.have.members(all);
    await until(() => inTrouble(role).length === topics.length, 60_000);
    expect(inTrouble(role)[0]?.trouble?.errorClass).to.equal('topic_not_found');

    await role.stop();
    const later = await started();
    await until(() => published(later) === 3, 60_000);
    expect(await consume(topics, 3)).to.have.length(3);
  });

  it('starts without a broker, says so, and loses nothing', async () => {
    await at.append(transfers(2));
    const role = await started({
      STREAMING_BROKERS: '127.0.0.1:1',
      STREAMING_RECORD_DELIVERY_TIMEOUT_S: '1',
    });
    await until(() => inTrouble(role).length === topics.length, 60_000);
    await role.stop();
    expect(topics.map((name) => at.saved.get(name)?.position)).to.deep.equal(['', '']);

    const later = await started();
    await until(() => published(later) === 6, 60_000);
    expect(await consume(topics, 6)).to.have.length(6);
  });
});

describeOnRabbit('relay to RabbitMQ', () => {
  it('brings every record to a queue, in the order of each key', async () => {
    const broker = await newExchange();
    const { received, receive } = await broker.queue('#');
    await receive();
    const at = world('quipu', {
      STREAMING_RABBITMQ_URL: AMQP_URL,
      STREAMING_RABBITMQ_EXCHANGE: broker.exchange,
    });
    await at.append(transfers(100));
    const role = await at.start();
    try {
      await until(() => received.length === 300, 60_000);
      const texts = received.map(({ content }) => content.toString());
      expect(texts).to.have.members(at.expected().map(({ value }) => value));
    } finally {
      await role.stop();
      await broker.remove();
    }
  });
});
