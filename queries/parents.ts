import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { ledgerNotFound, organizationNotFound } from '#src/kernel/absent.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
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
  const live = new Map<Uuid, Known>();

  let forgotten = 0;

  const isKnown = ({ context }: Request, id: Uuid, organizationId?: Uuid): boolean => {
    const known = live.get(id);
    return (
      known?.tenantId === context.tenantId &&
      known.organizationId === organizationId &&
      known.untilMs > scheduler.elapsedMs()
    );
  };

  const isLive = async (
    { context, consistencyToken }: Request,
    { collection }: Projection,
    journal: string,
    where: Readonly<{ id: Uuid; organizationId?: Uuid }>,
  ): Promise<boolean> => {
    const { id, organizationId } = where;
    const { tenantId } = context;
    const before = forgotten;
    await progress.reached(collection.name, journal, consistencyToken);
    const found = await reads.get(collection, { ...where, tenantId });
    if (found === undefined) return false;
    if (forgotten !== before) return true; // Perhaps this one, between the look-up and now.
    if (live.size >= REMEMBERED_MAX) live.clear();
    live.set(id, { tenantId, organizationId, untilMs: scheduler.elapsedMs() + REMEMBERED_MS });
    return true;
  };

  const organization = async (request: Request, id: Uuid): Promise<void> => {
    if (isKnown(request, id)) return;
    const found = await isLive(request, organizationProjection, organizationJournal(id), { id });
    if (!found) throw organizationNotFound();
  };

  return {
    organization,
    async ledger(request, organizationId, id) {
      if (!isKnown(request, organizationId)) await organization(request, organizationId);
      if (isKnown(request, id, organizationId)) return;
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

/** Where a live one was found, and until when that is remembered. */
type Known = Readonly<{ tenantId: string; organizationId: Uuid | undefined; untilMs: number }>;

const REMEMBERED_MS = 5000;
const REMEMBERED_MAX = 50_000;
