import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import { routesIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { ifChanged, mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import { usesRoute, type AccountRule } from '#src/events/ledger/route-rules.ts';
import type { OperationRouteRecord, RouteEvent } from '#src/events/ledger/routes.ts';
import { checkEntries, mergedEntries, type EntriesChanges } from './entries.ts';
import type { RouteOwner } from './route-owner.ts';

export type CreateOperationRoute = Readonly<{
  type: 'CreateOperationRoute';
  organizationId: Uuid;
  fields: Pick<
    OperationRouteRecord,
    | 'title'
    | 'description'
    | 'code'
    | 'operationType'
    | 'account'
    | 'accountingEntries'
    | 'metadata'
  >;
}>;

/** An absent member stays as it is; entries and metadata are merged. */
export type UpdateOperationRoute = Readonly<{
  type: 'UpdateOperationRoute';
  organizationId: Uuid;
  id: Uuid;
  changes: Readonly<{
    title?: string | undefined;
    description?: string | undefined;
    code?: string | undefined;
    account?: AccountRule | undefined;
    accountingEntries?: EntriesChanges | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteOperationRoute = Readonly<{
  type: 'DeleteOperationRoute';
  organizationId: Uuid;
  id: Uuid;
  /** The only ledgers that may use the route; all of the organization if absent. */
  users?: readonly Uuid[] | undefined;
}>;

export type OperationRouteCommand =
  CreateOperationRoute | UpdateOperationRoute | DeleteOperationRoute;

/**
 * Looks up the ledgers that may use the route. One user is enough to keep the route, so a few are asked first, because
 * a ledger must be in memory to answer.
 */
export function needsOperationRoute(
  owner: RouteOwner,
  command: OperationRouteCommand,
  facts: Facts,
): Needs | undefined {
  if (command.type === 'CreateOperationRoute') return undefined;
  const known = owner.routes.operationRoute(command.id);
  if (known === undefined) return undefined;
  const before = needsBeforeImages(facts, known.revision);
  if (command.type === 'UpdateOperationRoute') return before;
  const journals = journalsThatMayUse(owner, command);
  if (journals.some((name) => uses(name, command.id, facts))) return before;
  const unasked = journals.filter((name) => facts.journal(name) === undefined);
  const askedCount = journals.length - unasked.length;
  if (unasked.length === 0) return before;
  return { ...before, journals: unasked.slice(0, Math.max(askedCount, ASKED_FIRST)) };
}

const ASKED_FIRST = 4;

/** Includes live ledgers only, whatever the command names. */
function journalsThatMayUse(
  { ledgers }: RouteOwner,
  { users }: DeleteOperationRoute,
): readonly JournalName[] {
  const mayUse = users && new Set(users);
  const live = ledgers();
  return (mayUse ? live.filter((id) => mayUse.has(id)) : live).map(ledgerJournal);
}

function uses(journal: JournalName, id: Uuid, facts: Facts): boolean {
  const routes = routesIn(facts.journal(journal));
  return routes !== undefined && usesRoute(routes, id);
}

export function createOperationRoute(
  { organizationId, ledgerId }: RouteOwner,
  { fields }: CreateOperationRoute,
  stamp: Stamp,
): RouteEvent[] {
  checkEntries(fields.operationType, fields.accountingEntries);
  const operationRoute: OperationRouteRecord = {
    id: stamp.ids.next(),
    organizationId,
    ...(ledgerId !== undefined && { ledgerId }),
    ...fields,
    createdAt: stamp.instant,
    updatedAt: stamp.instant,
    deletedAt: null,
  };
  checkRecordSize(operationRoute);
  return [{ type: 'OperationRouteCreated', data: { operationRoute } }];
}

export function updateOperationRoute(
  { routes }: RouteOwner,
  { id, changes }: UpdateOperationRoute,
  facts: Facts,
  { instant }: Stamp,
): Decision<RouteEvent> {
  const { revision } = routes.operationRoute(id) ?? notFound();
  const { title, description, code, account, accountingEntries, metadata } = changes;
  const before = beforeImage('operationRoute', revision, facts);
  const patch = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(code !== undefined && { code }),
    ...(account !== undefined && { account }),
    accountingEntries: mergedEntries(before.accountingEntries, accountingEntries),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record, changed } = patched<OperationRouteRecord>(before, patch, instant);
  checkEntries(record.operationType, record.accountingEntries);
  checkRecordSize(record);
  return ifChanged({ type: 'OperationRouteUpdated', data: { operationRoute: record, changed } });
}

/** Refuses while a transaction route in any ledger uses the operation route. */
export function deleteOperationRoute(
  owner: RouteOwner,
  command: DeleteOperationRoute,
  facts: Facts,
  { instant }: Stamp,
): RouteEvent[] {
  const { id } = command;
  const { revision } = owner.routes.operationRoute(id) ?? notFound();
  const elsewhere = () => journalsThatMayUse(owner, command).some((name) => uses(name, id, facts));
  if (owner.routes.isUsed(id) || elsewhere()) {
    throw refuse('OPERATION_ROUTE_IN_USE', 'A transaction route uses the operation route.');
  }
  const before = beforeImage('operationRoute', revision, facts);
  const operationRoute = { ...before, updatedAt: instant, deletedAt: instant };
  return [{ type: 'OperationRouteDeleted', data: { operationRoute } }];
}

function notFound(): never {
  throw refuse('OPERATION_ROUTE_NOT_FOUND', 'There is no such operation route.');
}

/** The refusal of an id in a transaction route that names no operation route. */
export const noOperationRoute = (id: Uuid, location: string): Refusal =>
  refuse('OPERATION_ROUTE_NOT_FOUND', `There is no operation route ${id}.`, {
    findings: [{ location, message: 'names no operation route', value: id }],
  });
