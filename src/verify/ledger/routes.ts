import { differ } from '#src/verify/difference.ts';

/** The members of routes that the rules read. */
type AuditedRoute = Readonly<{
  id: string;
  organizationId: string;
  ledgerId?: string;
  deletedAt: string | null;
}>;
type AuditedOperationRoute = AuditedRoute & Readonly<{ operationType: string }>;
type AuditedTransactionRoute = AuditedRoute & Readonly<{ operationRoutes: readonly string[] }>;

export type RouteData = Readonly<{
  operationRoute: AuditedOperationRoute;
  transactionRoute: AuditedTransactionRoute;
  places: readonly Readonly<{ id: string; journal: string }>[];
}>;

type RouteJournal = Readonly<{
  name: string;
  /** The other journal that may have operation routes of this journal's transaction routes. */
  shared?: string;
}>;

/**
 * The rules of routes in one journal: the type of an operation route never changes, a transaction route names existing
 * operation routes, and a named one cannot be deleted. `mine` checks that a record belongs to the journal.
 */
export function createRouteRules(
  mine: (record: AuditedRoute) => void,
  journal: () => RouteJournal,
): Readonly<Record<string, (data: RouteData) => void>> {
  const types = new Map<string, string>();
  const named = new Map<string, readonly string[]>();

  const operationRoute = (
    { operationRoute: route }: RouteData,
    known: boolean,
  ): AuditedOperationRoute => {
    mine(route);
    if (types.has(route.id) !== known) {
      differ(`${known ? 'there is no' : 'there is already an'} operation route ${route.id}`);
    }
    return route;
  };
  const transactionRoute = (data: RouteData, known: boolean): AuditedTransactionRoute => {
    const { transactionRoute: route } = data;
    mine(route);
    if (named.has(route.id) !== known) {
      differ(`${known ? 'there is no' : 'there is already a'} transaction route ${route.id}`);
    }
    return route;
  };
  const template = (data: RouteData, known: boolean): void => {
    const { id, operationRoutes } = transactionRoute(data, known);
    if (named.get(id)?.join() !== operationRoutes.join()) {
      checkPlaces(operationRoutes, data.places, types, journal());
    }
    named.set(id, operationRoutes);
  };

  return {
    OperationRouteCreated(data) {
      const { id, operationType } = operationRoute(data, false);
      types.set(id, operationType);
    },
    OperationRouteUpdated(data) {
      const { id, operationType } = operationRoute(data, true);
      if (types.get(id) !== operationType) differ(`the type of operation route ${id} changed`);
    },
    OperationRouteDeleted(data) {
      const { id } = deleted(operationRoute(data, true));
      for (const [user, ids] of named) {
        if (ids.includes(id)) differ(`transaction route ${user} uses operation route ${id}`);
      }
      types.delete(id);
    },
    TransactionRouteCreated: (data) => template(data, false),
    TransactionRouteUpdated: (data) => template(data, true),
    TransactionRouteDeleted: (data) => void named.delete(deleted(transactionRoute(data, true)).id),
  };
}

/** Each operation route is in this journal or the shared one; both sides are served, as far as this journal shows. */
function checkPlaces(
  ids: readonly string[],
  places: RouteData['places'],
  types: ReadonlyMap<string, string>,
  { name, shared }: RouteJournal,
): void {
  if (new Set(ids).size !== ids.length) differ('it names an operation route twice');
  for (const id of ids) {
    const place = places.find((one) => one.id === id)?.journal;
    if (place === name ? !types.has(id) : place === undefined || place !== shared) {
      differ(`it names operation route ${id}, which is not there`);
    }
  }
  const known = ids.map((id) => types.get(id));
  for (const side of ['source', 'destination']) {
    const serves = (type = side) => type === side || type === 'bidirectional';
    if (!known.some(serves)) differ(`none of its operation routes is for a ${side}`);
  }
}

function deleted<Record extends AuditedRoute>(record: Record): Record {
  return record.deletedAt === null ? differ('it is deleted and has no deletedAt') : record;
}
