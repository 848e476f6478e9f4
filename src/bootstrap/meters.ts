import { Counter, Gauge, type Registry } from 'prom-client';
import { diskSpace, isNearlyFull } from '#src/adapters/embedded/disk-space.ts';
import type { Behind } from '#src/runtime/catch-up.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { DeliveryReport } from '#src/runtime/delivery/report.ts';
import type { LaneReport, RelayReport } from '#src/runtime/relay-report.ts';
import type { PeerReport } from './peers.ts';
import type { TopicsReport } from './topic-consumer.ts';

type Measured = Readonly<{
  progress: Pick<Progress, 'lagMs'>;
  /** Undefined while nothing is behind. */
  behind: () => Behind | undefined;
  /** Consumers of the log that have stopped, by name. */
  stopped: Pick<ReadonlyMap<string, unknown>, 'keys'>;
  /** The data folder; undefined if the event store is a server. */
  dataDir: string | undefined;
  /** Undefined while this process does not relay. */
  relay: () => RelayReport | undefined;
  /** The number of replays that are not completed. */
  replays: () => number;
  /** Undefined while this process does not deliver. */
  delivery: () => DeliveryReport | undefined;
  /** Undefined while this process consumes no topics. */
  topics: () => TopicsReport | undefined;
  /** The number of refused requests that were not kept. */
  refusedDropped: () => number;
  /** Undefined while this process shares no journals with others. */
  peers: () => PeerReport | undefined;
}>;

/** Registers the reports of roles for /metrics. Totals count from the start of the role. */
export function registerMeters(registry: Registry, measured: Measured): void {
  const { progress, behind, stopped, dataDir, relay } = measured;
  const { replays, delivery, topics, refusedDropped } = measured;
  new Gauge({
    name: 'quipu_projection_lag_seconds',
    help: 'Age of the oldest write of this process that reads do not show yet',
    registers: [registry],
    collect() {
      this.set(progress.lagMs() / 1000);
    },
  });
  for (const [name, help, measure] of REBUILD) {
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        const now = behind();
        this.set(now === undefined ? 0 : measure(now));
      },
    });
  }
  new Gauge({
    name: 'quipu_projection_stopped',
    help: '1 for each consumer of the log that stopped at an event it cannot apply',
    labelNames: ['projection'],
    registers: [registry],
    collect() {
      this.reset();
      for (const projection of stopped.keys()) this.set({ projection }, 1);
    },
  });
  if (dataDir !== undefined) registerDisk(registry, dataDir);
  for (const [name, help, measure] of DELIVERY) {
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        const now = delivery();
        this.set(now === undefined ? 0 : measure(now));
      },
    });
  }
  new Counter({
    name: 'quipu_delivery_attempts_total',
    help: 'Attempts to deliver to the targets of subscriptions',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(delivery()?.outcomes ?? {})) {
        this.inc({ outcome }, count);
      }
    },
  });
  new Gauge({
    name: 'quipu_relay_replays_pending',
    help: 'Replays that were requested and are not completed',
    registers: [registry],
    collect() {
      this.set(replays());
    },
  });
  new Counter({
    name: 'quipu_delivery_consumed_total',
    help: 'Messages of other producers taken from topics',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(topics()?.messages ?? {})) {
        this.inc({ outcome }, count);
      }
    },
  });
  new Counter({
    name: 'quipu_refused_requests_dropped_total',
    help: 'Refused requests that were counted but not kept, because there were too many or the disk refused them',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(refusedDropped());
    },
  });
  registerPeers(registry, measured);
  for (const [name, help, measure] of RELAY) {
    const configuration = { name, help, labelNames: ['topic'], registers: [registry] };
    const lanes = () => relay()?.lanes ?? [];
    if (name.endsWith('_total')) {
      new Counter({
        ...configuration,
        collect() {
          this.reset();
          for (const lane of lanes()) this.inc({ topic: lane.topic }, measure(lane));
        },
      });
    } else {
      new Gauge({
        ...configuration,
        collect() {
          this.reset();
          for (const lane of lanes()) this.set({ topic: lane.topic }, measure(lane));
        },
      });
    }
  }
}

function registerPeers(registry: Registry, { peers }: Pick<Measured, 'peers'>): void {
  new Gauge({
    name: 'quipu_peers',
    help: 'Other processes with which this one shares the journals',
    registers: [registry],
    collect() {
      this.set(peers()?.peers ?? 0);
    },
  });
  new Counter({
    name: 'quipu_forwarded_commands_total',
    help: 'Commands that were sent to the process that owns their journal',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(peers()?.forwarded ?? 0);
    },
  });
}

function registerDisk(registry: Registry, dataDir: string): void {
  for (const [name, help, measure] of DISK) {
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(measure(dataDir) ?? NaN);
      },
    });
  }
}

const DISK: readonly (readonly [
  name: string,
  help: string,
  measure: (dataDir: string) => number | undefined,
])[] = [
  [
    'quipu_disk_available_bytes',
    'Free space on the disk of the data folder',
    (dataDir) => diskSpace(dataDir)?.availableBytes,
  ],
  [
    'quipu_disk_size_bytes',
    'Size of the disk of the data folder',
    (dataDir) => diskSpace(dataDir)?.sizeBytes,
  ],
  [
    'quipu_disk_full',
    '1 while writes are refused because so little of it is free',
    (dataDir) => Number(isNearlyFull(dataDir)),
  ],
];

const REBUILD: readonly (readonly [
  name: string,
  help: string,
  measure: (now: Behind) => number,
])[] = [
  [
    'quipu_projection_behind_events',
    'Events that read models have to take in before they have caught up or are rebuilt',
    ({ events }) => events,
  ],
  [
    'quipu_projection_catch_up_events_per_second',
    'How many of them they take in a second',
    ({ eventsPerSecond }) => eventsPerSecond,
  ],
  [
    'quipu_projection_catch_up_seconds',
    'How long that will take',
    ({ secondsToGo }) => secondsToGo,
  ],
];

const DELIVERY: readonly (readonly [
  name: string,
  help: string,
  measure: (now: DeliveryReport) => number,
])[] = [
  [
    'quipu_delivery_subscriptions',
    'Subscriptions of all tenants',
    ({ subscriptions }) => subscriptions,
  ],
  [
    'quipu_delivery_pending',
    'Deliveries to push targets that were never attempted',
    ({ pending }) => pending,
  ],
  ['quipu_delivery_retrying', 'Deliveries whose last attempt failed', ({ retrying }) => retrying],
  [
    'quipu_delivery_dead',
    'Deliveries that exhausted their attempts, of the last 30 days',
    ({ dead }) => dead,
  ],
  [
    'quipu_delivery_damaged_events',
    'Damaged events of the log that deliveries were planned past',
    ({ damagedEvents }) => damagedEvents,
  ],
  [
    'quipu_delivery_oldest_due_seconds',
    'Time for which the oldest unfinished delivery has been due',
    ({ oldestDueMs }) => oldestDueMs / 1000,
  ],
];

const RELAY: readonly (readonly [
  name: string,
  help: string,
  measure: (lane: LaneReport) => number,
])[] = [
  [
    'quipu_relay_lag_events',
    'Events between what is published and the end of the log',
    ({ eventsBehind }) => eventsBehind,
  ],
  [
    'quipu_relay_oldest_unpublished_seconds',
    'Age of the oldest record that is neither acknowledged nor dead',
    ({ oldestUnpublishedMs }) => oldestUnpublishedMs / 1000,
  ],
  ['quipu_relay_published_total', 'Records acknowledged', ({ published }) => published],
  [
    'quipu_relay_failures_total',
    'Attempts that failed',
    ({ failures }) => Object.values(failures).reduce((sum, count) => sum + count, 0),
  ],
  ['quipu_relay_dead_total', 'Records given up', ({ dead }) => dead],
  ['quipu_relay_attempts_total', 'Attempts to publish', ({ attempts }) => attempts],
  [
    'quipu_relay_publish_seconds_total',
    'Time that attempts which succeeded took together',
    ({ publishMs }) => publishMs / 1000,
  ],
];
