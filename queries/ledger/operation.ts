import { besides, transactionProjection } from '#projections/ledger/transaction.ts';
import { createdBetween, cursorReply, type Sequence } from '#queries/paging.ts';
import { equal, notFound, readRow } from '#queries/reading.ts';
import { wholeId, type Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { ok } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { Row } from '#src/ports/read-store.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import type { Filtered, Filters } from '#src/kernel/filters.ts';
import {
  operationSchema,
  operationSchemaV2,
  operationView,
} from '#src/resources/ledger/operation.ts';
import { mentioned, OPERATION, sieves, type WantedOperations } from './operation-text.ts';
import { requireLedger } from './parents.ts';

const { collection } = transactionProjection;

const operationFilters = {
  type: { type: 'string', description: 'In any letter case' },
  direction: { type: 'string', enum: ['credit', 'debit'] },
  route_id: { type: 'string', format: 'uuid' },
  route_code: { type: 'string' },
} as const satisfies Filters;

export const operationReadRoutes = [
  route({
    operationId: 'listOperationsByAccount',
    summary: 'List the operations of an account',
    description:
      'Returns them in the order in which they were recorded, and only those that match every filter that is sent. ' +
      'The list is empty if there is no such account.',
    tag: 'Operations',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}/operations',
    permission: 'operations:get',
    entityType: 'Operation',
    paging: 'cursor',
    filters: operationFilters,
    replies: { 200: cursorListOf(operationSchema) },
    repliesV2: { 200: cursorListOf(operationSchemaV2) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) =>
      cursorReply(await operationsOf(request, services), request.page),
  }),

  route({
    operationId: 'getOperationByAccount',
    summary: 'Retrieve an operation of an account',
    description: 'An operation of another account is refused with 404.',
    tag: 'Operations',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/{account_id}/operations/{operation_id}',
    permission: 'operations:get',
    entityType: 'Operation',
    replies: { 200: operationSchema },
    repliesV2: { 200: operationSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, account_id } = request.path;
      const { operation_id: id } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: transactionProjection,
        after: ledgerJournal(ledgerId),
        where: { id: wholeId(id), ledgerId },
      });
      const transaction = row && recordOf(row);
      const operation = transaction?.operations.find(
        (part) => part.id === id && part.accountId === account_id,
      );
      if (!transaction || !operation) throw notFound('operation');
      return ok(JSON.stringify(operationView(operation, transaction, request.version)));
    },
  }),
];

type OperationListRequest = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid; account_id: Uuid }>,
  unknown,
  Filtered<typeof operationFilters>,
  PageRequest
>;

/** Lists the entries that transactions have under an account. */
async function operationsOf(request: OperationListRequest, services: Services): Promise<Sequence> {
  const { path, page, query, consistencyToken, context, version } = request;
  const { account_id: accountId, ledger_id: ledgerId } = path;
  const { reads, progress, logId } = services;
  await requireLedger(services, request, path.organization_id, ledgerId);
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);

  const filters = [
    ...equal('type', query.type?.toUpperCase()),
    ...equal('direction', query.direction),
    ...createdBetween(page),
  ];
  const { route_id: routeId, route_code: routeCode } = query;
  const { metadata } = page;
  const wanted: WantedOperations = { version, ledgerId, accountId, routeId, routeCode, metadata };
  const at = [accountId, besides(accountId)];
  const listing = {
    at,
    filters: [...filters, ...mentioned(wanted)],
    as: OPERATION,
    wanted,
    sieves: sieves(wanted),
  };

  return {
    listing: [collection.name, ledgerId, accountId, filters, metadata, query],
    page: (stretch) => reads.pageEntries(collection, { ...listing, ...stretch }, request.caller),
    async find(id) {
      const where = { id: wholeId(id), ledgerId, tenantId: context.tenantId };
      const row = await reads.get(collection, where);
      const transaction = row && recordOf(row);
      const n = transaction?.operations.findIndex((part) => part.id === id) ?? -1;
      const operation = transaction?.operations[n];
      if (!transaction || operation?.accountId !== accountId) return undefined;
      const { createdAt: instant = transaction.createdAt } = operation;
      const part = { row, ordinal: n + 1, instant };
      const places = at.map((one) => placeOf(part, one, reads));
      return (await Promise.all(places)).find((place) => place !== undefined);
    },
    logId,
  };
}

/** Finds the list position of an operation. The step that booked it may be later than its transaction's creation. */
async function placeOf(
  { row, ordinal, instant }: Readonly<{ row: Row; ordinal: number; instant: Instant }>,
  at: string,
  reads: Services['reads'],
): Promise<ListPosition | undefined> {
  const filters = createdBetween({ startDate: instant, endDate: instant });
  for (let after = row.born; ;) {
    const walk = { at, filters, order: 'asc', after, limit: ENTRIES } as const;
    const found = await reads.listEntries(collection, walk);
    const place = found.find((entry) => entry.id === row.id && entry.ordinal === ordinal);
    const last = found.at(-1);
    if (place !== undefined || last === undefined) return place?.entryBorn;
    after = last.entryBorn;
  }
}

/** A small page, because each entry comes with its transaction of up to 900 KB. */
const ENTRIES = 10;

const recordOf = ({ body }: Pick<Row, 'body'>): TransactionRecord =>
  JSON.parse(body) as TransactionRecord;
