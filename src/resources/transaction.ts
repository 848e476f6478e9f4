import type { TransactionRecord } from '#src/events/ledger.ts';
import { instant, instantOrNull, metadataView, record, statusView, uuid } from './common.ts';
import { operationSchema, operationView } from './operation.ts';
import type { Schema } from './schema.ts';

/** Contract ledger §5.1, version 1. */
export const transactionSchema = {
  title: 'Transaction',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      parentTransactionId: uuid,
      groupId: uuid,
      description: { type: 'string' },
      status: statusView,
      amount: { type: 'string', description: 'A decimal in plain notation' },
      assetCode: { type: 'string' },
      chartOfAccountsGroupName: { type: 'string' },
      source: { type: 'array', items: { type: 'string' } },
      destination: { type: 'array', items: { type: 'string' } },
      route: { type: 'string', deprecated: true },
      routeId: uuid,
      feesSkipped: { type: 'boolean' },
      tracerSkipped: { type: 'boolean' },
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
      operations: { type: 'array', items: operationSchema },
    },
    [
      'id',
      'organizationId',
      'ledgerId',
      'description',
      'status',
      'amount',
      'assetCode',
      'chartOfAccountsGroupName',
      'source',
      'destination',
      'route',
      'feesSkipped',
      'tracerSkipped',
      'createdAt',
      'updatedAt',
      'deletedAt',
      'operations',
    ],
  ),
} as const satisfies Schema;

/** The answer to a creation and its repeats says CREATED; every read after it says what was recorded. */
export type Shown = Readonly<{
  as: 'created' | 'stored';
  /** Only the last so many operations: what a step came to. */
  lastOperations?: number;
}>;

export const transactionView = (
  transaction: TransactionRecord,
  { as, lastOperations = transaction.operations.length }: Shown,
) => ({
  id: transaction.id,
  organizationId: transaction.organizationId,
  ledgerId: transaction.ledgerId,
  parentTransactionId: transaction.parentTransactionId,
  groupId: transaction.groupId,
  description: transaction.description ?? '',
  status: shownStatus(as === 'created' ? createdAs(transaction) : transaction.status),
  amount: transaction.amount,
  assetCode: transaction.assetCode,
  chartOfAccountsGroupName: transaction.chartOfAccountsGroupName ?? '',
  source: transaction.source,
  destination: transaction.destination,
  route: transaction.route ?? '',
  routeId: transaction.routeId,
  feesSkipped: transaction.feesSkipped ?? false,
  tracerSkipped: transaction.tracerSkipped ?? false,
  metadata: transaction.metadata,
  createdAt: transaction.createdAt,
  updatedAt: transaction.updatedAt,
  deletedAt: null,
  operations: transaction.operations
    .slice(transaction.operations.length - lastOperations)
    .map((operation) => operationView(operation, transaction)),
});

/** What settles at once is shown as created, what waits or is only noted as what it is. */
const createdAs = ({ status }: TransactionRecord) => (status === 'APPROVED' ? 'CREATED' : status);

const shownStatus = (code: string) => ({ code, description: code });

/** One line of the answer to a batch: the item's place, the status it alone would get, and what it would answer. */
export const batchResultSchema = {
  title: 'BatchResult',
  ...record(
    {
      index: { type: 'integer' },
      status: { type: 'integer' },
      transaction: transactionSchema,
      error: { type: 'object', description: 'The problem document', additionalProperties: true },
    },
    ['index', 'status'],
  ),
} as const satisfies Schema;

export const batchSchema = {
  title: 'Batch',
  ...record({ results: { type: 'array', items: batchResultSchema } }, ['results']),
} as const satisfies Schema;
