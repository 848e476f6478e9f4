import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import { routesIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import type { OperationRouteRule } from '#src/events/ledger/route-rules.ts';
import type { RouteEvent, RoutePlace, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import { noOperationRoute } from './operation-route.ts';
import type { RouteOwner } from './route-owner.ts';

export type CreateTransactionRoute = Readonly<{
  type: 'CreateTransactionRoute';
  organizationId: Uuid;
  fields: Pick<TransactionRouteRecord, 'title' | 'description' | 'operationRoutes' | 'metadata'>;
}>;

/** An absent member stays as it is; operation routes are replaced, metadata is merged. */
export type UpdateTransactionRoute = Readonly<{
  type: 'UpdateTransactionRoute';
  organizationId: Uuid;
  id: Uuid;
  changes: Readonly<{
    title?: string | undefined;
    description?: string | undefined;
    operationRoutes?: readonly Uuid[] | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteTransactionRoute = Readonly<{
  type: 'DeleteTransactionRoute';
  organizationId: Uuid;
  id: Uuid;
}>;

export type TransactionRouteCommand =
  CreateTransactionRoute | UpdateTransactionRoute | DeleteTransactionRoute;

export function needsTransactionRoute(
  owner: RouteOwner,
  command: TransactionRouteCommand,
  facts: Facts,
): Needs | undefined {
  if (command.type === 'CreateTransactionRoute') {
    return needsOrganization(owner, command.fields.operationRoutes, facts);
  }
  const known = owner.routes.transactionRoute(command.id);
  if (known === undefined) return undefined;
  const before = needsBeforeImages(facts, known.revision);
  if (command.type === 'DeleteTransactionRoute') return before;
  const named = command.changes.operationRoutes ?? known.operationRoutes;
  const organizationNeeds = needsOrganization(owner, named, facts);
  return organizationNeeds === undefined ? before : { ...before, ...organizationNeeds };
}

/** A ledger looks up the operation routes that it does not own in its organization's journal. */
function needsOrganization(
  { organizationId, ledgerId, routes }: RouteOwner,
  named: readonly Uuid[],
  facts: Facts,
): Needs | undefined {
  if (ledgerId === undefined) return undefined;
  if (named.every((id) => routes.operationRoute(id) !== undefined)) return undefined;
  const journal = organizationJournal(organizationId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

export function createTransactionRoute(
  owner: RouteOwner,
  { fields }: CreateTransactionRoute,
  facts: Facts,
  stamp: Stamp,
): RouteEvent[] {
  const operationRoutes = [...new Set(fields.operationRoutes)];
  const places = checkTemplate(owner, operationRoutes, facts);
  const { organizationId, ledgerId } = owner;
  const transactionRoute: TransactionRouteRecord = {
    id: stamp.ids.next(),
    organizationId,
    ...(ledgerId !== undefined && { ledgerId }),
    ...fields,
    operationRoutes,
    createdAt: stamp.instant,
    updatedAt: stamp.instant,
    deletedAt: null,
  };
  checkRecordSize(transactionRoute);
  return [{ type: 'TransactionRouteCreated', data: { transactionRoute, places } }];
}

/** Operation routes in the request are checked; those that the route has stay, even if they were deleted meanwhile. */
export function updateTransactionRoute(
  owner: RouteOwner,
  { id, changes }: UpdateTransactionRoute,
  facts: Facts,
  { instant }: Stamp,
): Decision<RouteEvent> {
  const known = owner.routes.transactionRoute(id) ?? notFound();
  const { title, description, metadata } = changes;
  const before = beforeImage('transactionRoute', known.revision, facts);
  const sent = changes.operationRoutes && [...new Set(changes.operationRoutes)];
  const places = sent
    ? checkTemplate(owner, sent, facts)
    : placesOf(owner, known.operationRoutes, facts);
  const patch = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(sent !== undefined && { operationRoutes: sent }),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record, changed } = patched<TransactionRouteRecord>(before, patch, instant);
  checkRecordSize(record);
  const data = { transactionRoute: record, places, changed };
  const event: RouteEvent = { type: 'TransactionRouteUpdated', data };
  return changed.length === 0 ? { unchanged: event } : [event];
}

export function deleteTransactionRoute(
  { routes }: RouteOwner,
  { id }: DeleteTransactionRoute,
  facts: Facts,
  { instant }: Stamp,
): RouteEvent[] {
  const { revision } = routes.transactionRoute(id) ?? notFound();
  const before = beforeImage('transactionRoute', revision, facts);
  const transactionRoute = { ...before, updatedAt: instant, deletedAt: instant };
  return [{ type: 'TransactionRouteDeleted', data: { transactionRoute } }];
}

type Found = Readonly<{ rule: OperationRouteRule; place: RoutePlace }>;

/**
 * Checks that every operation route exists and that both sides are served. Errors: OPERATION_ROUTE_NOT_FOUND,
 * NO_SOURCE_ROUTE, NO_DESTINATION_ROUTE.
 */
function checkTemplate(owner: RouteOwner, ids: readonly Uuid[], facts: Facts): RoutePlace[] {
  const found = ids.map((id, n) => {
    const one = find(owner, id, facts);
    if (one === undefined) throw noOperationRoute(id, `operationRoutes[${String(n)}]`);
    return one;
  });
  const serves = (side: 'source' | 'destination') =>
    found.some(({ rule: { operationType: type } }) => type === side || type === 'bidirectional');
  if (!serves('source')) throw oneSided('NO_SOURCE_ROUTE', 'source');
  if (!serves('destination')) throw oneSided('NO_DESTINATION_ROUTE', 'destination');
  return found.map(({ place }) => place);
}

/** The log positions of the operation routes that exist. */
const placesOf = (owner: RouteOwner, ids: readonly Uuid[], facts: Facts): RoutePlace[] =>
  ids.flatMap((id) => find(owner, id, facts)?.place ?? []);

/**
 * Finds an operation route of the owner or of the ledger's organization; an organization never uses those of ledgers.
 */
function find(owner: RouteOwner, id: Uuid, facts: Facts): Found | undefined {
  const { organizationId, ledgerId, routes } = owner;
  const place = (journal: string, revision: Revision): RoutePlace => ({ id, journal, revision });
  const organization = organizationJournal(organizationId);
  const own = routes.operationRoute(id);
  if (own !== undefined) {
    const journal = ledgerId === undefined ? organization : ledgerJournal(ledgerId);
    return { rule: own, place: place(journal, own.revision) };
  }
  if (ledgerId === undefined) return undefined;
  const shared = routesIn(facts.journal(organization))?.operationRoutes.get(id);
  return shared && { rule: shared, place: place(organization, shared.revision) };
}

const oneSided = (name: 'NO_SOURCE_ROUTE' | 'NO_DESTINATION_ROUTE', side: string) =>
  refuse(name, `None of the operation routes is for a ${side}.`, {
    findings: [{ location: 'operationRoutes', message: `has none for a ${side}` }],
  });

function notFound(): never {
  throw refuse('TRANSACTION_ROUTE_NOT_FOUND', 'There is no such transaction route.');
}
