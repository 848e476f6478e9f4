import type { Check, Readiness } from '#src/http/services.ts';
import { START, type EventStore } from '#src/ports/event-store.ts';
import type { ReadStore } from '#src/ports/read-store.ts';
import type { Progress } from '#src/runtime/progress.ts';
import { isEmbedded, type Places } from './places.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';

type Probed = Readonly<{
  store: Pick<EventStore, 'readAll'>;
  reads: ReadStore;
  progress: Pick<Progress, 'lagMs'>;
  /** Projections that go no further, and why. */
  stopped: ReadonlyMap<string, string>;
  places: Places;
}>;

/** Ready when both stores answer. A stopped projection is a detail: it takes its own reads down, not writes. */
export function readinessOf({
  store,
  reads,
  progress,
  stopped,
  places,
}: Probed): () => Promise<Readiness> {
  const embedded = isEmbedded(places.eventStoreUrl) && isEmbedded(places.readStoreUrl);
  const deploymentMode = embedded ? 'embedded' : 'distributed';
  return async () => {
    const checks: Record<string, Check> = {
      event_store: await timed(() => store.readAll(START, 1)),
      read_store: await timed(() =>
        reads.get(organizationProjection.collection, { id: '', tenantId: '' }),
      ),
      projections: projectionsCheck(progress.lagMs(), stopped),
    };
    const ready = checks['event_store']?.status === 'up' && checks['read_store']?.status === 'up';
    return { ready, checks, deploymentMode };
  };
}

async function timed(probe: () => Promise<unknown>): Promise<Check> {
  const startedMs = performance.now();
  const latency = () => Math.round(performance.now() - startedMs);
  try {
    await probe();
    return { status: 'up', latency_ms: latency() };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { status: 'down', latency_ms: latency(), detail };
  }
}

const projectionsCheck = (lagMs: number, stopped: ReadonlyMap<string, string>): Check => ({
  status: stopped.size === 0 ? 'up' : 'down',
  latency_ms: Math.round(lagMs),
  ...(stopped.size > 0 && { detail: [...stopped.values()].join('; ') }),
});
