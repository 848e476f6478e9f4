import { Counter, Gauge, type Registry } from 'prom-client';
import type { Progress } from '#src/runtime/progress.ts';
import type { RelayReport } from '#src/runtime/relay-report.ts';

type Measured = Readonly<{
  progress: Pick<Progress, 'lagMs'>;
  /** Undefined while another process relays, or none does. */
  relay: () => RelayReport | undefined;
}>;

/** What roles say about themselves, for /metrics. Totals count from the start of the role. */
export function registerMeters(registry: Registry, { progress, relay }: Measured): void {
  new Gauge({
    name: 'quipu_projection_lag_seconds',
    help: 'Age of the oldest write of this process that reads do not show yet',
    registers: [registry],
    collect() {
      this.set(progress.lagMs() / 1000);
    },
  });
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

type Lane = RelayReport['lanes'][number];

const RELAY: readonly (readonly [name: string, help: string, measure: (lane: Lane) => number])[] = [
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
