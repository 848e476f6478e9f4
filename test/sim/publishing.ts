import type { CompleteReplay } from '#commands/streaming/processes/complete-replay.ts';
import { MemoryCheckpointStore } from '#test/doubles/memory/checkpoint-store.ts';
import { memoryLeases } from '#test/doubles/memory/leases.ts';
import { MemoryPublisher, type Arrived, type PublishFate } from '#test/doubles/memory/publisher.ts';
import { publishedTopics } from '#src/bootstrap/definitions.ts';
import { replayIn } from '#src/bridge/streaming/replay-change.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { START } from '#src/ports/event-store.ts';
import { PublishFailed, type OutgoingRecord, type Publisher } from '#src/ports/publisher.ts';
import { holdRole, type Work } from '#src/runtime/hold-role.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { createRelay, type Relay, type RelaySettings } from '#src/runtime/relay.ts';
import { createReplayBook } from '#src/runtime/replay/replay-book.ts';
import { createReplayer } from '#src/runtime/replay/replayer.ts';
import { producer } from '#test/support/relayed.ts';
import { assertThat } from './log-oracle.ts';
import { ThreadLog, type ThreadLife } from './thread.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  life: ThreadLife;
  /** Serves in the process of the thread. */
  complete: CompleteReplay;
  /** Called with what a replayer was told is published. */
  replayed: (records: readonly OutgoingRecord[]) => void;
}>;

/** Publishes the log and its replays while this thread has the lease, to a broker that comes and goes. */
export function startPublishing({ world, life, complete, replayed }: Options): void {
  const { simFaults, leases, arrived, exclusive, holders } = world;
  const { name, scheduler, wire, heard } = life;
  const log = new ThreadLog(world, scheduler);
  const checkpoints = heard(
    new MemoryCheckpointStore(wire, world.checkpoints, simFaults.readsFail),
  );
  const fateOf = (_: string, records: readonly OutgoingRecord[]): PublishFate =>
    simFaults.publish(records);
  const liveFateOf: typeof fateOf = (topic, records) =>
    world.planted.publish?.() ?? fateOf(topic, records);
  const common = { log, checkpoints, topics: TOPICS, scheduler } as const;
  const onFault = ({ message }: Readonly<{ message: string }>): void => {
    world.note(`${name}: ${message}`);
  };
  const relayUnder = (fence: number): Relay =>
    createRelay({
      ...{ ...common, fence, onFault, clock: simFaults.clock, settings: SETTINGS },
      publisher: heard(new MemoryPublisher(wire, liveFateOf, arrived)),
      onReport: () => undefined,
      onDead: async (_, { ceId, message }) =>
        world.fail(`${name}: ${ceId} became a dead letter: ${message}`),
    });
  const replayerUnder = (fence: number, relay: Relay) =>
    createReplayer({
      ...{ ...common, fence, onFault },
      book: createReplayBook({
        ...{ log, tenants: () => ['default'], journalOf: streamingJournal, replayIn },
      }),
      publisher: heard(
        noting(new MemoryPublisher(wire, fateOf, arrived, { isReplayed: true }), replayed),
      ),
      isBusy: () => relay.report().lanes.some((lane) => lane.oldestUnpublishedMs > 250),
      publishedTo: (topic) => relay.publishedTo(topic),
      complete: async (tenantId, id) => {
        await scheduler.yield();
        return heard({ complete }).complete(tenantId, id);
      },
      recordsMax: 20,
    });
  const role = holdRole({
    ...{ name: 'relay', holder: name, leases: memoryLeases(scheduler, leases), scheduler },
    isGone: (holder) => exclusive && !holders.has(holder),
    begin: async (fence) => {
      const relay = relayUnder(fence);
      return world.streams ? together([relay, replayerUnder(fence, relay)]) : relay;
    },
    onFault: (error) => world.note(`${name}: ${String(error)}`),
  });
  void role.run();
}

const together = (works: readonly Work[]): Work => ({
  run: async () => {
    await Promise.all(works.map((work) => work.run()));
  },
  stop: async () => {
    await Promise.all(works.map((work) => work.stop()));
  },
});

/** Reports which records the caller learns to be published. */
function noting(
  publisher: Publisher,
  note: (records: readonly OutgoingRecord[]) => void,
): Publisher {
  return {
    target: publisher.target,
    async publish(topic, records) {
      try {
        await publisher.publish(topic, records);
        note(records);
      } catch (error) {
        if (error instanceof PublishFailed) note(records.slice(0, error.acknowledged));
        throw error;
      }
    },
    bury: (topic, record) => publisher.bury(topic, record),
    provision: (topics) => publisher.provision(topics),
    close: () => publisher.close(),
  };
}

/**
 * Holds what arrived against the log: every record without the help of replays, none that the log does not yield,
 * repetitions byte for byte the same, and the first deliveries of each key in the order of the log.
 */
export async function checkPublished(world: World): Promise<void> {
  const scheduler = world.simScheduler.scheduler({ name: 'the wait for the broker' });
  const arrivedOf = (topic: string) => world.arrived.filter((record) => record.topic === topic);
  const liveOf = (topic: string) =>
    arrivedOf(topic).filter(({ isReplayed }) => isReplayed !== true);
  // Read again each time, because what was resumed may still write.
  const expectedOf = ({ drafts, types }: SimTopic) =>
    world.log
      .readAll(START, 1e9)
      .map((event) => new LoggedEvent(event))
      .filter(({ type }) => types.has(type))
      .flatMap(drafts);
  const isMissing = (topic: SimTopic) =>
    new Set(liveOf(topic.name).map(idOf)).size < expectedOf(topic).length;
  let missing: SimTopic | undefined;
  for (let seconds = 0; (missing = TOPICS.find(isMissing)) !== undefined; seconds += 1) {
    const { name } = missing;
    assertThat(seconds < SECONDS_MAX, `${name} has only ${liveOf(name).length} records`);
    await scheduler.sleep(1000);
  }
  for (const topic of TOPICS) {
    const { name } = topic;
    const expected = expectedOf(topic);
    const first = new Map<string, Arrived>();
    for (const record of arrivedOf(name)) {
      const before = first.get(idOf(record));
      if (before === undefined) first.set(idOf(record), record);
      else assertThat(isSame(before, record), `${name} has two records ${idOf(record)}`);
    }
    const wanted = Map.groupBy(expected, ({ key }) => key);
    const found = Map.groupBy(first.values(), ({ key }) => key);
    assertThat(found.size === wanted.size, `${name} has records of other keys`);
    for (const [key, records] of wanted) {
      const order = (found.get(key) ?? []).map(idOf).join();
      assertThat(order === records.map(idOf).join(), `${name}: ${key} came as ${order}`);
    }
  }
}

export const idOf = ({ headers }: Pick<Arrived, 'headers'>): string => headers['ce-id'] ?? '';

const isSame = (one: Arrived, other: Arrived): boolean =>
  JSON.stringify([one.key, one.headers, one.value]) ===
  JSON.stringify([other.key, other.headers, other.value]);

/** As a release publishes them. */
export const TOPICS = publishedTopics(producer, new Map());
export type SimTopic = (typeof TOPICS)[number];

const SETTINGS: RelaySettings = {
  startAt: 'beginning',
  batchEvents: 10,
  bufferedRecordsMax: 1000,
  breaker: { failureRatio: 0.5, minRequests: 10, openMs: 1000 },
  closeTimeoutMs: 5000,
  platform: 'quipu',
  producerId: 'sim',
};

const SECONDS_MAX = 60;
