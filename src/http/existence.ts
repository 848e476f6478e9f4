import type { Uuid } from '#src/kernel/ids.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { CollectionSpec, ReadStore } from '#src/ports/read-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { Request } from './request.ts';

/** Checks by the read models whether the parent record of other records exists. */
export interface Existence {
  /**
   * Looks the record up for the tenant of the request. If it exists, that is remembered for 5 s, so that a read below
   * it costs no second look-up. An absent record is not remembered, because it may be created the next moment.
   */
  exists(request: Request, record: ParentRecord): Promise<boolean>;
  /** Forgets a record; call it when the record was deleted by this process. */
  forget(id: Uuid): void;
}

export type ParentRecord = Readonly<{
  collection: CollectionSpec;
  /** The journal that has its events. */
  journal: JournalName;
  where: Readonly<{ id: Uuid } & Record<string, Uuid>>;
}>;

type ExistenceSources = Readonly<{
  reads: Pick<ReadStore, 'get'>;
  progress: Pick<Progress, 'reached'>;
}>;

export function createExistence(
  { reads, progress }: ExistenceSources,
  scheduler: Scheduler,
): Existence {
  const found = new Map<Uuid, FoundRecord>();
  let forgotten = 0;

  return {
    async exists({ context, consistencyToken }, { collection, journal, where }) {
      const { tenantId } = context;
      const key = [tenantId, ...Object.values(where)].join(' ');
      const known = found.get(where.id);
      if (known?.key === key && known.untilMs > scheduler.elapsedMs()) return true;

      const before = forgotten;
      await progress.reached(collection.name, journal, consistencyToken);
      const row = await reads.get(collection, { ...where, tenantId });
      if (row === undefined) return false;
      if (forgotten !== before) return true; // It may have been this one, since the look-up.
      if (found.size >= REMEMBERED_MAX) found.clear();
      found.set(where.id, { key, untilMs: scheduler.elapsedMs() + REMEMBERED_MS });
      return true;
    },
    forget(id) {
      forgotten += 1;
      found.delete(id);
    },
  };
}

/** The tenant and the values by which a record was found, and the time until which that is remembered. */
type FoundRecord = Readonly<{ key: string; untilMs: number }>;

const REMEMBERED_MS = 5000;
const REMEMBERED_MAX = 50_000;
