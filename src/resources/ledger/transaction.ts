import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  instant,
  instantOrNull,
  record,
  statusView,
  uuid,
  type Version,
} from '#src/kernel/schema-fragments.ts';
import { operationSchema, operationSchemaV2, operationView } from './operation.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { transactionMetadataView } from './transaction-metadata.ts';

/** The payment schemes that a client may name. */
export const SCHEMES = ['CARD', 'WIRE', 'PIX', 'CRYPTO'] as const;

const aliases = { type: 'array', items: { type: 'string' } } as const;

const head = {
  id: uuid,
  organizationId: uuid,
  ledgerId: uuid,
  parentTransactionId: uuid,
  groupId: uuid,
  description: { type: 'string' },
  status: statusView,
  amount: { type: 'string', description: 'A decimal in plain notation' },
  assetCode: { type: 'string' },
} as const;

const tail = {
  feesSkipped: { type: 'boolean' },
  tracerSkipped: { type: 'boolean' },
  metadata: transactionMetadataView,
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instantOrNull,
} as const;

const always = [
  'id',
  'organizationId',
  'ledgerId',
  'description',
  'status',
  'amount',
  'assetCode',
  'feesSkipped',
  'tracerSkipped',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'operations',
] as const;

const inFirstOperation = {
  operation_id: 'operations/0/id',
  account_id: 'operations/0/accountId',
} as const;

/** Contract ledger §5.1, version 1. */
export const transactionSchema = {
  title: 'Transaction',
  links: { members: inFirstOperation },
  ...record(
    {
      ...head,
      chartOfAccountsGroupName: { type: 'string' },
      source: aliases,
      destination: aliases,
      route: { type: 'string', deprecated: true },
      routeId: uuid,
      ...tail,
      operations: { type: 'array', items: operationSchema },
    },
    [...always, 'chartOfAccountsGroupName', 'source', 'destination', 'route'],
  ),
} as const satisfies Schema;

/** Contract ledger §5.1, version 2. */
export const transactionSchemaV2 = {
  title: 'TransactionV2',
  links: { members: inFirstOperation, scope: ['organization_id', 'ledger_id'] },
  ...record(
    {
      ...head,
      debit: aliases,
      credit: aliases,
      routeId: uuid,
      scheme: { type: 'string', enum: SCHEMES },
      ...tail,
      operations: { type: 'array', items: operationSchemaV2 },
    },
    [...always, 'debit', 'credit'],
  ),
} as const satisfies Schema;

/** A creation and its repeats return CREATED; later reads return the recorded status. */
export type Shown = Readonly<{
  as: 'created' | 'stored';
  /** The number of operations to show, from the end: those that a step added. */
  lastOperations?: number;
  version: Version;
}>;

export const transactionView = (
  transaction: TransactionRecord,
  { as, version, lastOperations = transaction.operations.length }: Shown,
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
  chartOfAccountsGroupName:
    version === 1 ? (transaction.chartOfAccountsGroupName ?? '') : undefined,
  source: version === 1 ? transaction.source : undefined,
  destination: version === 1 ? transaction.destination : undefined,
  debit: version === 1 ? undefined : transaction.source,
  credit: version === 1 ? undefined : transaction.destination,
  route: version === 1 ? (transaction.route ?? '') : undefined,
  routeId: transaction.routeId,
  scheme: version === 1 ? undefined : transaction.scheme,
  feesSkipped: transaction.feesSkipped ?? false,
  tracerSkipped: transaction.tracerSkipped ?? false,
  metadata: transaction.metadata,
  createdAt: transaction.createdAt,
  updatedAt: transaction.updatedAt,
  deletedAt: null,
  operations: transaction.operations
    .slice(transaction.operations.length - lastOperations)
    .map((operation) => operationView(operation, transaction, version)),
});

/** A transaction that settled at once is shown as CREATED; pending ones and annotations keep their status. */
const createdAs = ({ status }: TransactionRecord) => (status === 'APPROVED' ? 'CREATED' : status);

const shownStatus = (code: string) => ({ code, description: code });

/** A line of a batch response: the item's index, and the status and body that it would have had alone. */
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

/** The response to a batch of version 2: its transactions, in their order. */
export const batchSchemaV2 = {
  title: 'BatchV2',
  ...record({ transactions: { type: 'array', items: transactionSchemaV2 } }, ['transactions']),
} as const satisfies Schema;

export const batchSchema = {
  title: 'Batch',
  ...record({ results: { type: 'array', items: batchResultSchema } }, ['results']),
} as const satisfies Schema;
