import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { OperationRouteRecord, RouteEvent } from '#src/events/ledger/routes.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** Operation routes of ledgers and of organizations; `ownerId` is the id of the one or the other. */
export const operationRouteProjection = projection<RouteEvent>(
  {
    name: 'operation-route',
    version: 1,
    keys: { tenantId: 'text', ownerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ownerId']],
  },
  {
    OperationRouteCreated: whole,
    OperationRouteUpdated: whole,
    OperationRouteDeleted: ({ data: { operationRoute } }) => remove(operationRoute.id),
  },
);

/** It keeps its place in the list. */
function whole({
  data: { operationRoute },
  tenantId,
  revision,
}: Recorded<Readonly<{ operationRoute: OperationRouteRecord }>>): readonly Write[] {
  const { id, organizationId, ledgerId = organizationId, createdAt } = operationRoute;
  return put({
    id,
    born: bornAt(revision),
    keys: { tenantId, ownerId: ledgerId, createdAt },
    body: JSON.stringify(operationRoute),
  });
}
