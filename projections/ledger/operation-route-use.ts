import { projection } from '#projections/projection.ts';
import type { RouteEvent, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/**
 * Ledgers, as JSON texts, by the operation routes that their transaction routes name or once named: the ledgers to ask
 * whether a route is in use.
 */
export const operationRouteUseProjection = projection<RouteEvent>(
  {
    name: 'operation-route-use',
    version: 1,
    keys: { tenantId: 'text', operationRouteId: 'text' },
    indexes: [['tenantId', 'operationRouteId']],
  },
  { TransactionRouteCreated: uses, TransactionRouteUpdated: uses },
);

function uses({
  data: { transactionRoute },
  tenantId,
  position,
}: Recorded<Readonly<{ transactionRoute: TransactionRouteRecord }>>): readonly Write[] {
  const { ledgerId, operationRoutes } = transactionRoute;
  if (ledgerId === undefined) return []; // An organization knows its own routes.
  return operationRoutes.map((operationRouteId) => ({
    put: {
      id: `${ledgerId} ${operationRouteId}`,
      born: position,
      keys: { tenantId, operationRouteId },
      body: JSON.stringify(ledgerId),
    },
  }));
}
