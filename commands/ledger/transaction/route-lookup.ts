import { routesIn } from '#commands/ledger/state/journal-facts.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Facts, Needs } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { OperationRouteRule } from '#src/events/ledger/route-rules.ts';
import type { Reliance } from '#src/events/ledger/transaction.ts';
import type { RequestLocations } from './locations.ts';

/** A transaction route with the operation routes that its transactions must follow. */
export type RouteTemplate = Readonly<{
  id: Uuid;
  operationRoutes: readonly OperationRouteRule[];
  /** The revision of the organization's journal at which the routes were read, unless they are the ledger's own. */
  relies: Readonly<{ relies?: readonly Reliance[] }>;
}>;

/** The members with which a transaction or leg names its route; `route` is the deprecated spelling. */
export type RouteReference = Readonly<{ route?: string | undefined; routeId?: Uuid | undefined }>;

/** Looks up the organization's journal if the route is not the ledger's own. */
export function needsTemplate(
  ledger: Ledger,
  named: RouteReference,
  facts: Facts,
): Needs | undefined {
  const id = routeIdOf(named);
  if (id === undefined || isOwn(ledger, id)) return undefined;
  const journal = organizationJournal(ledger.organizationId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

/** Returns true if the transaction route and all its operation routes belong to the ledger. */
function isOwn({ routes }: Ledger, id: Uuid): boolean {
  const named = routes.transactionRoute(id)?.operationRoutes;
  return named?.every((one) => routes.operationRoute(one) !== undefined) === true;
}

/** Errors: TRANSACTION_ROUTE_REQUIRED, TRANSACTION_ROUTE_INVALID, TRANSACTION_ROUTE_NOT_FOUND. */
export function templateOf(
  ledger: Ledger,
  named: RouteReference,
  facts: Facts,
  locations: RouteLocations = RECORDED,
): RouteTemplate {
  const id = routeIdOf(named) ?? unnamed(named, locations);
  const found = findTemplate(ledger, named, facts);
  if (found !== undefined) return found;
  throw refuse('TRANSACTION_ROUTE_NOT_FOUND', `There is no transaction route ${id}.`, {
    findings: [
      { location: locations[spelling(named)], message: 'names no transaction route', value: id },
    ],
    entityType: 'Transaction',
  });
}

/** Returns undefined if there is no such route. Operation routes that have been deleted are left out. */
export function findTemplate(
  ledger: Ledger,
  named: RouteReference,
  facts: Facts,
): RouteTemplate | undefined {
  const id = routeIdOf(named);
  if (id === undefined) return undefined;
  const { routes } = ledger;
  const journal = organizationJournal(ledger.organizationId);
  const fact = isOwn(ledger, id) ? undefined : facts.journal(journal);
  const shared = fact?.live === true ? routesIn(fact) : undefined;
  const found = routes.transactionRoute(id) ?? shared?.transactionRoutes.get(id);
  return (
    found && {
      id,
      operationRoutes: found.operationRoutes.flatMap(
        (one) => routes.operationRoute(one) ?? shared?.operationRoutes.get(one) ?? [],
      ),
      relies: fact ? { relies: [{ journal, revision: fact.revision }] } : {},
    }
  );
}

/** The id in either spelling; undefined if there is none or it is not a UUID. */
export const routeIdOf = ({ route, routeId }: RouteReference): Uuid | undefined =>
  routeId ?? (route === undefined ? undefined : parseUuid(route));

type RouteLocations = Pick<RequestLocations, 'route' | 'routeId'>;

/** The route of a recorded transaction has no location in the request that settles or reverts it. */
const RECORDED: RouteLocations = { route: 'route', routeId: 'routeId' };

const spelling = ({ routeId }: RouteReference) => (routeId === undefined ? 'route' : 'routeId');

function unnamed({ route = '' }: RouteReference, locations: RouteLocations): never {
  if (route === '') {
    const detail = 'The ledger validates routes, and the transaction names none.';
    throw refuse('TRANSACTION_ROUTE_REQUIRED', detail, {
      findings: [{ location: locations.routeId, message: 'is required' }],
    });
  }
  throw refuse('TRANSACTION_ROUTE_INVALID', 'The route of the transaction is no UUID.', {
    findings: [{ location: locations.route, message: 'must be a UUID', value: route }],
  });
}
