import { journalOfLedger } from '#commands/ledger/journals.ts';
import { created } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { createTransactionBody } from '#src/resources/transaction-body.ts';
import { transactionSchema, transactionView } from '#src/resources/transaction.ts';

export const transactionWriteRoutes = [
  route({
    operationId: 'createTransactionJson',
    summary: 'Create a transaction from JSON',
    tag: 'Transactions',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/json',
    permission: 'transactions:post',
    entityType: 'Transaction',
    idempotent: true,
    body: createTransactionBody,
    replies: { 201: transactionSchema },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'LEG_QUANTITY',
      'VALUE_NOT_POSITIVE',
      'TOTALS_DIFFER',
      'ACCOUNT_ON_BOTH_SIDES',
      'ACCOUNTS_NOT_ELIGIBLE',
      'ASSET_NOT_FOUND',
      'ACCOUNT_BLOCKED',
      'SIDE_NOT_PERMITTED',
      'INSUFFICIENT_FUNDS',
      'NUMBER_OUT_OF_RANGE',
      'DATE_IN_FUTURE',
      'SKIP_NOT_PERMITTED',
      'IDEMPOTENCY_KEY_IN_USE',
      'TOO_LARGE',
    ],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledgerId);
      const { events, revision, replayed } = await commands.submit(
        request,
        journal,
        { type: 'PostTransaction', organizationId, request: request.body },
        'keyed',
      );
      const [event] = events;
      if (event?.type !== 'TransactionPosted') throw new Error('A transaction is one event');
      return created(JSON.stringify(transactionView(event.data.transaction, { as: 'created' })), {
        token: { [journal.name]: revision },
        replayed,
      });
    },
  }),
];
