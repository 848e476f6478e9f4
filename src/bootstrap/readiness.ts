import { isNearlyFull } from '#src/adapters/embedded/disk-space.ts';
import type { ClockGuard } from '#src/journal/clock-guard.ts';
import type { Check, Readiness } from '#src/http/services.ts';
import { START, type EventStore } from '#src/ports/event-store.ts';
import type { ReadStore } from '#src/ports/read-store.ts';
import type { Progress } from '#src/runtime/progress.ts';
import { isEmbedded, type StoreUrls } from './store-urls.ts';
import type { DeliveryThread } from './delivery.ts';
import type { JournalLoads } from './journal-loads.ts';
import type { RelayThread } from './relay.ts';
import type { Rebuild } from './rebuild.ts';
import type { TopicsReport } from './topic-consumer.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';

type Probed = Readonly<{
  store: Pick<EventStore, 'readAll'>;
  reads: ReadStore;
  progress: Pick<Progress, 'lagMs'>;
  /** Projections that have stopped, with the reasons. */
  stopped: ReadonlyMap<string, string>;
  /** The reasons for which read models are being rebuilt. */
  rebuilding: readonly string[];
  clock: Pick<ClockGuard, 'jump'>;
  rebuild: Pick<Rebuild, 'readsServed' | 'check'>;
  loads: Pick<JournalLoads, 'check'>;
  /** True if this process serves reads at all. */
  serves: boolean;
  /** Undefined when streaming is off, or another process relays. */
  relay: Pick<RelayThread, 'report' | 'missingTopics'> | undefined;
  /** Undefined when streaming is off, or another process delivers. */
  delivery: Pick<DeliveryThread, 'report' | 'topics'> | undefined;
  /** Streaming is on without a broker, so that nothing is relayed. */
  embeddedTopics: boolean;
  places: StoreUrls;
}>;

/**
 * Ready when both stores respond and reads are served, which they are not before the read models have reached the end
 * of the log once. Later rebuilds keep the live rows and do not count; nor does a stopped projection, which affects its
 * own reads, but not writes.
 */
export function readinessOf({
  store,
  reads,
  progress,
  stopped,
  rebuilding,
  clock,
  rebuild,
  loads,
  serves,
  relay,
  delivery,
  embeddedTopics,
  places,
}: Probed): () => Promise<Readiness> {
  const embedded = isEmbedded(places.eventStoreUrl) && isEmbedded(places.readStoreUrl);
  const deploymentMode = embedded ? 'embedded' : 'distributed';
  return async () => {
    const served = !serves || (await rebuild.readsServed());
    const checks: Record<string, Check> = {
      event_store: await timed(() => store.readAll(START, 1)),
      read_store: await timed(() =>
        reads.get(organizationProjection.collection, { id: '', tenantId: '' }),
      ),
      projections: projectionsCheck(progress.lagMs(), [...stopped.values(), ...rebuilding]),
      ...clockCheck(clock.jump()),
      ...rebuild.check(),
      ...loads.check(),
      ...diskCheck(places),
      streaming: embeddedTopics ? EMBEDDED_TOPICS : streamingCheck(relay),
      ...topicsCheck(delivery?.topics()),
      ...deliveryCheck(delivery),
    };
    const needed = [
      checks['event_store'],
      checks['read_store'],
      checks['streaming'],
      checks['clock'],
    ];
    const ready = served && needed.every((check) => check?.status !== 'down');
    return { ready, checks, deploymentMode };
  };
}

/**
 * Down, so not ready, when topics are missing, a topic has stopped at a damaged event, or the oldest record has waited for
 * five minutes (contract events §3, §9.3). A short outage of the broker is only a detail: nothing is lost, and the API continues.
 */
function streamingCheck(relay: Probed['relay']): Check {
  if (relay === undefined) return { status: 'skipped', latency_ms: 0 };
  const lanes = relay.report()?.lanes ?? [];
  const oldestMs = Math.max(0, ...lanes.map(({ oldestUnpublishedMs }) => oldestUnpublishedMs));
  const missing = relay.missingTopics() ?? [];
  const trouble = lanes.flatMap(({ topic, trouble: met, stopped }) =>
    met !== undefined ? [`${topic}: ${met.message}`] : stopped ? [`${topic}: stopped`] : [],
  );
  const detail = [...missing.map((topic) => `${topic}: missing`), ...trouble].join('; ');
  const isStopped = lanes.some(({ stopped }) => stopped);
  const isDown = missing.length > 0 || oldestMs > UNPUBLISHED_MS_MAX || isStopped;
  return {
    status: isDown ? 'down' : 'up',
    latency_ms: Math.round(oldestMs),
    ...(detail !== '' && { detail }),
  };
}
const EMBEDDED_TOPICS: Check = { status: 'up', latency_ms: 0, detail: 'embedded topics' };
const UNPUBLISHED_MS_MAX = 5 * 60_000;

/** Does not affect readiness: events of other producers wait on the broker, and everything else continues. */
function topicsCheck(report: TopicsReport | undefined): Readonly<{ consumed_topics?: Check }> {
  if (report === undefined) return {};
  const { topics, missing = [], trouble } = report;
  const faults = [...missing.map((topic) => `${topic}: missing`), trouble ?? []].flat();
  const status = faults.length > 0 || topics === undefined ? 'down' : 'up';
  const detail = faults.length > 0 ? faults.join('; ') : `${topics?.length ?? 'no'} topics`;
  return { consumed_topics: { status, latency_ms: 0, detail } };
}

/** Does not affect readiness: only what the damaged events yield is not delivered. */
function deliveryCheck(delivery: Probed['delivery']): Readonly<{ deliveries?: Check }> {
  const count = delivery?.report()?.damagedEvents ?? 0;
  if (count === 0) return {};
  const detail = `${String(count)} damaged events of the log are not delivered: run quipu verify`;
  return { deliveries: { status: 'down', latency_ms: 0, detail } };
}

/** Down while the clock is implausible, because every write is refused then. */
const clockCheck = (jump: string | undefined): Readonly<{ clock?: Check }> =>
  jump === undefined ? {} : { clock: { status: 'down', latency_ms: 0, detail: jump } };

/** Does not affect readiness: reads continue when the disk is full, and would fail if requests were sent elsewhere. */
function diskCheck({ eventStoreUrl, dataDir }: StoreUrls): Readonly<{ disk?: Check }> {
  if (!isEmbedded(eventStoreUrl) || !isNearlyFull(dataDir)) return {};
  const detail = `The disk of ${dataDir} is full: writes are refused, reads go on`;
  return { disk: { status: 'down', latency_ms: 0, detail } };
}

async function timed(probe: () => Promise<unknown>): Promise<Check> {
  const startedMs = performance.now();
  const latency = () => Math.round(performance.now() - startedMs);
  try {
    await Promise.race([probe(), tooLate()]);
    return { status: 'up', latency_ms: latency() };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { status: 'down', latency_ms: latency(), detail };
  }
}

/** Fails a check before the probe times out, commonly after a second or two. */
const tooLate = (): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(reject, PROBE_MS, new Error(`No answer within ${String(PROBE_MS)} ms`)).unref();
  });
const PROBE_MS = 1000;

const projectionsCheck = (lagMs: number, faults: readonly string[]): Check => ({
  status: faults.length === 0 ? 'up' : 'down',
  latency_ms: Math.round(lagMs),
  ...(faults.length > 0 && { detail: faults.join('; ') }),
});
