import { operationRouteUseProjection } from '#projections/ledger/operation-route-use.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';

/**
 * The ledgers that may have a transaction route with an operation route, as far as the read model knows: whom to ask,
 * and no more, for the journals of the ledgers decide. Undefined when it cannot tell; then all have to be asked.
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
    return undefined; // Whatever reads suffer from, a write does without them.
  }
}

const LEDGERS_MAX = 1000;
