import { Counter, Gauge, type Registry } from 'prom-client';
import type { Behind } from '#src/runtime/catch-up.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { LaneReport, RelayReport } from '#src/runtime/relay-report.ts';

type Measured = Readonly<{
  progress: Pick<Progress, 'lagMs'>;
  /** Undefined while nothing is behind. */
  behind: () => Behind | undefined;
  /** Undefined while this process does not relay. */
  relay: () => RelayReport | undefined;
}>;

/** Registers the reports of roles for /metrics. Totals count from the start of the role. */
export function registerMeters(registry: Registry, { progress, behind, relay }: Measured): void {
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

const RELAY: readonly (readonly [
  name: string,
  help: string,
  measure: (lane: LaneReport) => number,
])[] = [
  [
    'quipu_relay_lag_events',
    'Events read from the log and not worked off yet',
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
