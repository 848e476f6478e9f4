import { MemoryCheckpointStore } from '#test/doubles/memory/checkpoint-store.ts';
import { memoryLeases } from '#test/doubles/memory/leases.ts';
import { MemoryPublisher, type Arrived, type PublishFate } from '#test/doubles/memory/publisher.ts';
import { START, type EventStore } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { holdRole } from '#src/runtime/hold-role.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { createRelay, type RelaySettings } from '#src/runtime/relay.ts';
import { catalogOf } from '#test/support/relayed.ts';
import { assertThat } from './log-oracle.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  name: string;
  /** Wakes nobody once the process has crashed. */
  scheduler: Scheduler;
  /** Outlives the process: what was sent may arrive after it. */
  wire: Scheduler;
  store: EventStore;
}>;

/** Publishes the log while this process has the lease, to a broker that comes and goes. */
export function startPublishing({ world, name, scheduler, wire, store }: Options): void {
  const { simFaults, checkpoints, leases, arrived } = world;
  const fateOf = (_: string, records: readonly OutgoingRecord[]): PublishFate =>
    world.planted.publish?.() ?? simFaults.publish(records);
  const role = holdRole({
    name: 'relay',
    holder: name,
    leases: memoryLeases(scheduler, leases),
    scheduler,
    begin: async (fence) =>
      createRelay({
        log: store,
        checkpoints: new MemoryCheckpointStore(scheduler, checkpoints, simFaults.readsFail),
        publisher: new MemoryPublisher(wire, fateOf, arrived),
        topics: TOPICS,
        scheduler,
        clock: simFaults.clock,
        fence,
        settings: SETTINGS,
        onReport: () => undefined,
        onFault: ({ message }) => world.note(`${name}: ${message}`),
        onDead: async (_, { ceId, message }) =>
          world.fail(`${name}: ${ceId} became a dead letter: ${message}`),
      }),
    onFault: (error) => world.note(`${name}: ${String(error)}`),
  });
  void role.run();
}

/**
 * Holds what arrived against the log: every record, none that the log does not yield, repetitions byte for byte the
 * same, and the first deliveries of each key in the order of the log.
 */
export async function checkPublished(world: World): Promise<void> {
  const events = world.log.readAll(START, 1e9).map((event) => new LoggedEvent(event));
  const scheduler = world.simScheduler.scheduler({ name: 'the wait for the broker' });
  for (const { name: topic, drafts, types } of TOPICS) {
    const expected = events.filter(({ type }) => types.has(type)).flatMap(drafts);
    const arrived = () => world.arrived.filter((record) => record.topic === topic);
    const isThere = () => new Set(arrived().map(idOf)).size >= expected.length;
    for (let seconds = 0; !isThere(); seconds += 1) {
      assertThat(seconds < SECONDS_MAX, `${topic} has only ${arrived().length} records`);
      await scheduler.sleep(1000);
    }
    const first = new Map<string, Arrived>();
    for (const record of arrived()) {
      const before = first.get(idOf(record));
      if (before === undefined) first.set(idOf(record), record);
      else assertThat(isSame(before, record), `${topic} has two records ${idOf(record)}`);
    }
    const wanted = Map.groupBy(expected, ({ key }) => key);
    const found = Map.groupBy(first.values(), ({ key }) => key);
    assertThat(found.size === wanted.size, `${topic} has records of other keys`);
    for (const [key, records] of wanted) {
      const order = (found.get(key) ?? []).map(idOf).join();
      assertThat(order === records.map(idOf).join(), `${topic}: ${key} came as ${order}`);
    }
  }
}

export const idOf = ({ headers }: Pick<Arrived, 'headers'>): string => headers['ce-id'] ?? '';

const isSame = (one: Arrived, other: Arrived): boolean =>
  JSON.stringify([one.key, one.headers, one.value]) ===
  JSON.stringify([other.key, other.headers, other.value]);

const TOPICS = catalogOf();

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
