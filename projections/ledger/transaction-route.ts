import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { RouteEvent, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import type { Handler, Recorded } from '#src/ports/projection.ts';
import type { Put } from '#src/ports/read-store.ts';

type WithTransactionRoute = Readonly<{ transactionRoute: TransactionRouteRecord }>;

/**
 * Transaction routes of ledgers and of organizations, each with the ids of its operation routes. `ownerId` is the id of
 * the ledger or the organization.
 */
export const transactionRouteProjection = projection<RouteEvent>(
  {
    name: 'transaction-route',
    version: 1,
    keys: { tenantId: 'text', ownerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ownerId']],
  },
  eachRoute(({ data: { transactionRoute }, tenantId, revision }) => {
    const { organizationId, ledgerId = organizationId, createdAt } = transactionRoute;
    return { born: bornAt(revision), keys: { tenantId, ownerId: ledgerId, createdAt } };
  }),
);

/** All transaction routes of an organization and its ledgers, in the order of the log. */
export const organizationTransactionRouteProjection = projection<RouteEvent>(
  {
    name: 'organization-transaction-route',
    version: 1,
    keys: { tenantId: 'text', organizationId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'organizationId']],
  },
  eachRoute(({ data: { transactionRoute }, tenantId, position }) => {
    const { organizationId, createdAt } = transactionRoute;
    return { born: position, keys: { tenantId, organizationId, createdAt } };
  }),
);

/** The row of a route keeps its list position. */
function eachRoute(placed: (event: Recorded<WithTransactionRoute>) => Pick<Put, 'born' | 'keys'>) {
  const whole: Handler<WithTransactionRoute> = (event) => {
    const { transactionRoute } = event.data;
    const body = JSON.stringify(transactionRoute);
    return put({ id: transactionRoute.id, ...placed(event), body });
  };
  return {
    TransactionRouteCreated: whole,
    TransactionRouteUpdated: whole,
    TransactionRouteDeleted: ({ data: { transactionRoute } }: Recorded<WithTransactionRoute>) =>
      remove(transactionRoute.id),
  };
}
