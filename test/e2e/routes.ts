import type { OperationRouteRecord } from '#src/events/ledger/routes.ts';
import type { transactionRouteView } from '#src/resources/ledger/transaction-route.ts';
import type { Client } from '#test/support/client.ts';
import { made } from './books.ts';

/* Operation routes and transaction routes, as the API shows them. */

export type OperationRoute = OperationRouteRecord;
export type TransactionRoute = ReturnType<typeof transactionRouteView>;

export const debit = { debit: { code: 'D', description: 'Debited' } };
export const credit = { credit: { code: 'C', description: 'Credited' } };
export const both = { ...debit, ...credit };

/** `at`: a ledger, or an organization under /v2. */
export const createOperationRoute = (
  client: Client,
  at: string,
  operationType: string,
  fields: object = {},
): Promise<OperationRoute> =>
  made(client, `${at}/operation-routes`, { title: operationType, operationType, ...fields });

export const createTransactionRoute = (
  client: Client,
  at: string,
  operationRoutes: readonly OperationRoute[],
  fields: object = {},
): Promise<TransactionRoute> =>
  made(client, `${at}/transaction-routes`, {
    title: 'Payment',
    operationRoutes: operationRoutes.map(({ id }) => id),
    ...fields,
  });
