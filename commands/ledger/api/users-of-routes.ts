import { operationRouteUseProjection } from '#projections/ledger/operation-route-use.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';

/**
 * Returns the ledgers that may have a transaction route with an operation route, according to the read model. It is a
 * hint about which journals to ask; they decide. Undefined if it cannot tell; then all must be asked.
 */
export async function ledgersThatMayUse(
  operationRouteId: Uuid,
  { context: { tenantId }, consistencyToken }: Request,
  { reads, progress }: Services,
): Promise<readonly Uuid[] | undefined> {
  const { collection } = operationRouteUseProjection;
  try {
    await progress.reached(collection.name, 'ledger', consistencyToken);
    const where = { tenantId, operationRouteId };
    const rows = await reads.list(collection, { where, order: 'asc', limit: LEDGERS_MAX });
    return rows.length < LEDGERS_MAX ? rows.map(({ body }) => JSON.parse(body) as Uuid) : undefined;
  } catch {
    return undefined; // A failed read must not fail a write.
  }
}

const LEDGERS_MAX = 1000;
