import { operationRouteProjection } from './operation-route.ts';
import {
  organizationTransactionRouteProjection,
  transactionRouteProjection,
} from '#projections/ledger/transaction-route.ts';
import { cursorReply, pageFilters, type Sequence, type Stretch } from '#queries/paging.ts';
import { readRow, readRows, type Reading } from '#queries/reading.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal, type JournalName } from '#src/kernel/journal-name.ts';
import type { OperationRouteRecord, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { pageOfWalk, type Walked } from '#src/ports/page.ts';
import type { Row } from '#src/ports/read-store.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import {
  transactionRouteSchema,
  transactionRouteView,
} from '#src/resources/ledger/transaction-route.ts';
import { ofLiveLedgers } from './live-ledgers.ts';
import { requireLedger, requireOrganization } from './parents.ts';

const facts = {
  tag: 'Transaction routes',
  method: 'get',
  permission: { namespace: 'routing', resource: 'transaction-routes', action: 'get' },
  entityType: 'TransactionRoute',
} as const;

const IN_LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transaction-routes';
const IN_ORGANIZATION = '/v2/organizations/{organization_id}/transaction-routes';

export const transactionRouteReadRoutes = [
  route({
    ...facts,
    operationId: 'listTransactionRoutes',
    summary: 'List the transaction routes of a ledger with their operation routes',
    description:
      'Returns the transaction routes that are not deleted, in the order of their creation; those of the ' +
      'organization have a list of their own. Operation routes are shown as they are now, without deleted ones.',
    path: IN_LEDGER,
    paging: 'cursor',
    replies: { 200: cursorListOf(transactionRouteSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      return list(request, services, {
        of: transactionRouteProjection,
        after: ledgerJournal(ledgerId),
        where: { ownerId: ledgerId },
      });
    },
  }),

  route({
    ...facts,
    operationId: 'getTransactionRoute',
    summary: 'Retrieve a transaction route of a ledger with its operation routes',
    description:
      'Operation routes are shown as they are now, without deleted ones. A transaction route of the organization is ' +
      'refused with 404.',
    path: `${IN_LEDGER}/{transaction_route_id}`,
    replies: { 200: transactionRouteSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'TRANSACTION_ROUTE_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      return one(request, services, ledgerId, ledgerJournal(ledgerId));
    },
  }),

  route({
    ...facts,
    operationId: 'listOrganizationTransactionRoutesV2',
    summary: 'List the organization transaction routes, of whatever ledger and its own',
    description:
      'Leaves out deleted routes and those of deleted ledgers. Operation routes are shown as they are now. ' +
      'Malformed parameters are refused with 422, and either date may be sent alone.',
    path: IN_ORGANIZATION,
    paging: 'cursor',
    loneDates: true,
    malformedQueryStatus: 422,
    replies: { 200: cursorListOf(transactionRouteSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      return list(request, services, {
        of: organizationTransactionRouteProjection,
        after: 'ledger', // Waits for the routes of each ledger.
        where: { organizationId },
        ofLedgers: true,
      });
    },
  }),

  route({
    ...facts,
    operationId: 'getOrganizationTransactionRouteV2',
    summary: 'Retrieve a transaction route of an organization itself',
    description:
      'Operation routes are shown as they are now, without deleted ones. A transaction route of a ledger is refused ' +
      'with 404.',
    path: `${IN_ORGANIZATION}/{transaction_route_id}`,
    replies: { 200: transactionRouteSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'TRANSACTION_ROUTE_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: organizationId } = request.path;
      await requireOrganization(services, request, organizationId);
      return one(request, services, organizationId, organizationJournal(organizationId));
    },
  }),
];

type Below = Request<Readonly<{ organization_id: Uuid }>>;

async function list(
  request: Below & Readonly<{ page: PageRequest }>,
  services: Services,
  { ofLedgers, ...reading }: Reading & Readonly<{ ofLedgers?: true }>,
): Promise<Reply> {
  const filters = pageFilters(request.page);
  const after = organizationJournal(request.path.organization_id);
  await services.progress.reached(reading.of.collection.name, after);
  const sequence = await readRows(services, request, { ...reading, filters });
  const where = { ...reading.where, tenantId: request.context.tenantId };
  const readAll = (stretch: Stretch) =>
    services.reads.list(reading.of.collection, { where, filters, ...stretch });
  const walk = ofLedgers
    ? await ofLiveLedgers(request, services, readAll)
    : async (stretch: Stretch): Promise<Walked<Row>> => ({ found: await readAll(stretch) });
  const page: Sequence['page'] = async ({ limit, reversed, ...stretch }) => {
    const { found, ended } = await walk({ ...stretch, limit: limit + 1 });
    const textOf = await textOfRows(found, request, services, reading.after);
    const items = found.map((row) => ({ born: row.born, text: textOf(row) }));
    return pageOfWalk({ found: items, ended }, { limit, reversed });
  };
  return cursorReply({ ...sequence, page }, request.page);
}

async function one(
  request: Below & Readonly<{ path: Readonly<{ transaction_route_id: Uuid }> }>,
  services: Services,
  ownerId: Uuid,
  after: JournalName,
): Promise<Reply> {
  const where = { id: request.path.transaction_route_id, ownerId };
  const row = await readRow(services, request, { of: transactionRouteProjection, after, where });
  if (row === undefined) {
    throw refuse('TRANSACTION_ROUTE_NOT_FOUND', 'There is no such transaction route.');
  }
  return ok((await textOfRows([row], request, services, after))(row));
}

/**
 * Renders rows with the current state of their operation routes, some of which may belong to the organization. Routes
 * deleted in the meantime are left out.
 */
async function textOfRows(
  rows: readonly Row[],
  { context: { tenantId }, consistencyToken, path }: Below,
  { reads, progress }: Services,
  after: string,
): Promise<(row: Row) => string> {
  const { collection } = operationRouteProjection;
  const records = new Map(
    rows.map(({ id, body }) => [id, JSON.parse(body) as TransactionRouteRecord]),
  );
  await progress.reached(collection.name, after, consistencyToken);
  await progress.reached(collection.name, organizationJournal(path.organization_id));
  const ids = new Set([...records.values()].flatMap(({ operationRoutes }) => operationRoutes));
  const parts = await reads.getAll(collection, [...ids], { tenantId });
  const found = new Map(
    parts.map(({ id, body }) => [id, JSON.parse(body) as OperationRouteRecord]),
  );

  return ({ id }) => {
    const record = records.get(id);
    if (record === undefined) throw new Error(`The row ${id} was not read`);
    const operationRoutes = record.operationRoutes.flatMap((one) => found.get(one) ?? []);
    return JSON.stringify(transactionRouteView(record, operationRoutes));
  };
}
