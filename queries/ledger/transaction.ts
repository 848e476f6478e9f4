import { membersAt, transactionProjection } from '#projections/ledger/transaction.ts';
import { cursorReply, pageFilters, type Sequence } from '#queries/paging.ts';
import { notFound, readRow, readRows } from '#queries/reading.ts';
import { TRANSACTION_V2, transactionText, transactionTextV2 } from './renderers.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ok } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Condition } from '#src/ports/read-store.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import { transactionSchema, transactionSchemaV2 } from '#src/resources/ledger/transaction.ts';
import { requireLedger } from './parents.ts';

export const transactionReadRoutes = [
  route({
    operationId: 'listTransactions',
    summary: 'List the transactions of a ledger with their operations',
    description:
      'Returns them in the order in which they were recorded; `transactionDate` affects only the filters by date. ' +
      'Settled transactions are APPROVED here, although their creation returned CREATED.',
    tag: 'Transactions',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions',
    permission: 'transactions:get',
    entityType: 'Transaction',
    paging: 'cursor',
    filters: { groupId: { type: 'string', format: 'uuid' } },
    replies: { 200: cursorListOf(transactionSchema) },
    repliesV2: { 200: cursorListOf(transactionSchemaV2) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      const { page, query } = request;
      const filters = pageFilters(page);
      const { groupId } = query;
      if (groupId !== undefined) {
        const members = await membersOf(groupId, filters, request, services);
        return cursorReply(members, page);
      }
      const sequence = await readRows(services, request, {
        of: transactionProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId },
        filters,
        as: request.version === 2 ? TRANSACTION_V2 : undefined,
      });
      return cursorReply(sequence, page);
    },
  }),

  route({
    operationId: 'getTransaction',
    summary: 'Retrieve a transaction with its operations',
    description:
      'Has the operations of all steps. A settled transaction is APPROVED here, although its creation returned ' +
      'CREATED.',
    tag: 'Transactions',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/{transaction_id}',
    permission: 'transactions:get',
    entityType: 'Transaction',
    replies: { 200: transactionSchema },
    repliesV2: { 200: transactionSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: transactionProjection,
        after: ledgerJournal(ledgerId),
        where: { id: request.path.transaction_id, ledgerId },
      });
      if (row === undefined) throw notFound('transaction');
      return ok(request.version === 2 ? transactionTextV2(row) : transactionText(row));
    },
  }),
];

type TransactionListRequest = Request<Readonly<{ ledger_id: Uuid }>, unknown, unknown, PageRequest>;

/** Lists the members of a group in the ledger. */
async function membersOf(
  groupId: string,
  filters: readonly Condition[],
  {
    path: { ledger_id: ledgerId },
    context: { tenantId },
    consistencyToken,
    version,
    caller,
  }: TransactionListRequest,
  { reads, progress, logId }: Services,
): Promise<Sequence> {
  const { collection } = transactionProjection;
  await progress.reached(collection.name, ledgerJournal(ledgerId), consistencyToken);
  const as = version === 2 ? TRANSACTION_V2 : collection.name;
  const at = membersAt(groupId, ledgerId);
  return {
    listing: [collection.name, at, filters],
    page: (stretch) => reads.pageEntries(collection, { at: [at], filters, as, ...stretch }, caller),
    find: async (id) => (await reads.get(collection, { id, ledgerId, tenantId }))?.born,
    logId,
  };
}
