import { besides, transactionProjection } from '#projections/ledger/transaction.ts';
import { createdBetween, cursorReply, type Sequence, type Stretch } from '#queries/paging.ts';
import { equal, notFound, readRow } from '#queries/reading.ts';
import { sifted } from '#queries/sifted.ts';
import { wholeId, type Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';
import { ledgerJournal } from '#src/domain/journal-name.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/transaction.ts';
import { ok } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { type Born, pageOf } from '#src/ports/page.ts';
import type { Condition, EntryRow, Row } from '#src/ports/read-store.ts';
import { cursorListOf, type Version } from '#src/resources/common.ts';
import type { Filtered, Filters } from '#src/resources/filters.ts';
import { operationSchema, operationSchemaV2, operationView } from '#src/resources/operation.ts';

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
      await services.parents.ledger(request, organizationId, ledgerId);
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

type Listing = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid; account_id: Uuid }>,
  unknown,
  Filtered<typeof operationFilters>,
  PageRequest
>;

/** An operation as the part of its transaction that it is. */
type Part = Readonly<{ operation: OperationRecord; transaction: TransactionRecord; born: Born }>;

/** The entries that transactions leave under an account. */
async function operationsOf(request: Listing, services: Services): Promise<Sequence> {
  const { path, page, query, consistencyToken, context } = request;
  const { account_id: at, ledger_id: ledgerId } = path;
  const { reads, progress, parents, logId } = services;
  await parents.ledger(request, path.organization_id, ledgerId);
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);

  const filters = [
    ...equal('type', query.type?.toUpperCase()),
    ...equal('direction', query.direction),
    ...createdBetween(page),
  ];
  const readEntries: ReadEntries = async (stretch, meeting) => {
    const [own, others] = await Promise.all(
      [at, besides(at)].map((list) =>
        reads.listEntries(collection, { at: list, filters: meeting, ...stretch }),
      ),
    );
    return merged(own!, others!, stretch);
  };
  const readParts = async (stretch: Stretch): Promise<readonly Part[]> => {
    const rows = await readEntries(stretch, filters);
    const parts = rows.map((row) => partOf(recordOf(row), row.ordinal, row.entryBorn));
    const [first] = parts;
    // The id in the path may be that of a balance, or of an account of another ledger; none of that is shown.
    const isOwn = first?.transaction.ledgerId === ledgerId && first.operation.accountId === at;
    return isOwn ? parts : [];
  };
  const isInBody = bodyTest(request);
  const readWanted = isInBody ? sifted(readParts, isInBody) : readParts;

  return {
    listing: [collection.name, ledgerId, at, filters, page.metadata, query],
    page: async (stretch) => {
      const found = await readWanted({ ...stretch, limit: stretch.limit + 1 });
      return pageOf(found, stretch, ({ born }) => born, partText(request.version));
    },
    async find(id) {
      const where = { id: wholeId(id), ledgerId, tenantId: context.tenantId };
      const row = await reads.get(collection, where);
      const transaction = row && recordOf(row);
      const n = transaction?.operations.findIndex((part) => part.id === id) ?? -1;
      const operation = transaction?.operations[n];
      if (!transaction || operation?.accountId !== at) return undefined;
      const { createdAt: instant = transaction.createdAt } = operation;
      return placeOf({ row, ordinal: n + 1, instant }, readEntries);
    },
    logId,
  };
}

type ReadEntries = (
  stretch: Stretch,
  filters: readonly Condition[],
) => Promise<readonly EntryRow[]>;

/** Where a part stands: at the step that booked it, which may be a later one than that of its transaction. */
async function placeOf(
  { row, ordinal, instant }: Readonly<{ row: Row; ordinal: number; instant: Instant }>,
  readEntries: ReadEntries,
): Promise<Born | undefined> {
  const filters = createdBetween({ startDate: instant, endDate: instant });
  for (let after = row.born; ;) {
    const found = await readEntries({ order: 'asc', after, limit: ENTRIES }, filters);
    const place = found.find((entry) => entry.id === row.id && entry.ordinal === ordinal);
    const last = found.at(-1);
    if (place !== undefined || last === undefined) return place?.entryBorn;
    after = last.entryBorn;
  }
}

const ENTRIES = 100;

/** What comes first of two stretches of one order. */
function merged(
  one: readonly EntryRow[],
  other: readonly EntryRow[],
  { order, limit }: Stretch,
): readonly EntryRow[] {
  if (other.length === 0) return one;
  const sign = order === 'asc' ? 1 : -1;
  return [...one, ...other]
    .sort((a, b) => (a.entryBorn < b.entryBorn ? -sign : sign))
    .slice(0, limit);
}

/** Metadata and routes are known to the bodies alone. Undefined when nothing asks for them. */
function bodyTest({ page: { metadata }, query }: Listing): ((part: Part) => boolean) | undefined {
  const { route_id: routeId, route_code: routeCode } = query;
  if (metadata.length === 0 && routeId === undefined && routeCode === undefined) return undefined;
  return ({ operation }) =>
    (routeId === undefined || operation.routeId === routeId) &&
    (routeCode === undefined || operation.routeCode === routeCode) &&
    metadata.every(({ key, value }) => textOf(operation.metadata?.[key]) === value);
}

const partText =
  (version: Version) =>
  ({ operation, transaction }: Part): string =>
    JSON.stringify(operationView(operation, transaction, version));

function partOf(transaction: TransactionRecord, ordinal: number, born: Born): Part {
  const operation = transaction.operations[ordinal - 1];
  if (operation === undefined) throw new Error(`${transaction.id} has no part ${ordinal}`);
  return { operation, transaction, born };
}

const textOf = (value: string | number | boolean | undefined): string | undefined =>
  typeof value === 'string' || value === undefined ? value : JSON.stringify(value);

const recordOf = ({ body }: Pick<Row, 'body'>): TransactionRecord =>
  JSON.parse(body) as TransactionRecord;
