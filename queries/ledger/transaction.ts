import { transactionProjection } from '#projections/ledger/transaction.ts';
import { cursorReply, pageFilters } from '#queries/paging.ts';
import { notFound, readRow, readRows } from '#queries/reading.ts';
import { TRANSACTION_V2, transactionText, transactionTextV2 } from '#queries/shown.ts';
import { ledgerJournal } from '#src/domain/journal-name.ts';
import { listed, ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { cursorListOf } from '#src/resources/common.ts';
import { transactionSchema, transactionSchemaV2 } from '#src/resources/transaction.ts';

export const transactionReadRoutes = [
  route({
    operationId: 'listTransactions',
    summary: 'List the transactions of a ledger with their operations',
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
      await services.parents.ledger(request, organizationId, ledgerId);
      const { page, query } = request;
      if (query.groupId !== undefined) return listed('', { limit: page.limit }); // No groups yet.
      const sequence = await readRows(services, request, {
        of: transactionProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId },
        filters: pageFilters(page),
        as: request.version === 2 ? TRANSACTION_V2 : undefined,
      });
      return cursorReply(sequence, page);
    },
  }),

  route({
    operationId: 'getTransaction',
    summary: 'Retrieve a transaction with its operations',
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
      await services.parents.ledger(request, organizationId, ledgerId);
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
