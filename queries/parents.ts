import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { ledgerNotFound, organizationNotFound } from '#src/domain/absent.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/domain/journal-name.ts';
import type { Request } from '#src/http/request.ts';
import type { Parents, Services } from '#src/http/services.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

type Needed = Pick<Services, 'reads' | 'progress'>;

/**
 * Looks parents up in the read models and remembers the live ones for 5 s, so that a read costs no second one.
 * One that is not found is not remembered: it may be created the next moment.
 */
export function createParents({ reads, progress }: Needed, scheduler: Scheduler): Parents {
  /** Id → until when, and below what it was found. */
  const live = new Map<string, Readonly<{ below: string; untilMs: number }>>();

  let forgotten = 0;

  const isLive = async (
    { context, consistencyToken }: Request,
    { collection }: Projection,
    journal: string,
    where: Readonly<{ id: Uuid; organizationId?: Uuid }>,
  ): Promise<boolean> => {
    const below = `${context.tenantId} ${where.organizationId ?? ''}`;
    const known = live.get(where.id);
    if (known?.below === below && known.untilMs > scheduler.elapsedMs()) return true;

    const before = forgotten;
    await progress.reached(collection.name, journal, consistencyToken);
    const found = await reads.get(collection, { ...where, tenantId: context.tenantId });
    if (found === undefined) return false;
    if (forgotten !== before) return true; // Perhaps this one, between the look-up and now.
    if (live.size >= REMEMBERED_MAX) live.clear();
    live.set(where.id, { below, untilMs: scheduler.elapsedMs() + REMEMBERED_MS });
    return true;
  };

  const organization = async (request: Request, id: Uuid): Promise<void> => {
    const found = await isLive(request, organizationProjection, organizationJournal(id), { id });
    if (!found) throw organizationNotFound();
  };

  return {
    organization,
    async ledger(request, organizationId, id) {
      await organization(request, organizationId);
      const where = { id, organizationId };
      const found = await isLive(request, ledgerProjection, ledgerJournal(id), where);
      if (!found) throw ledgerNotFound();
    },
    forget(id) {
      forgotten += 1;
      live.delete(id);
    },
  };
}

const REMEMBERED_MS = 5000;
const REMEMBERED_MAX = 50_000;
