import type { BalanceState } from '#src/events/ledger/account.ts';
import type {
  OperationRecord,
  TransactionRecord,
  TransactionStatus,
} from '#src/events/ledger/transaction.ts';
import type { Payload } from '#src/bridge/payload.ts';
import {
  count,
  decimal,
  flag,
  freeForm,
  instant,
  listOf,
  oneOf,
  status,
  text,
  uuid,
  written,
} from '#src/bridge/payload-members.ts';
import { orNull, payloadOf } from '#src/bridge/payload-schema.ts';

const amounts = payloadOf({ available: decimal, onHold: decimal, version: count });

const operationSchema = payloadOf({
  ...{ id: uuid, transactionId: uuid, description: text, type: text, assetCode: text },
  ...{ chartOfAccounts: text, amount: payloadOf({ value: decimal }), balance: amounts },
  ...{ balanceAfter: amounts, status, accountId: uuid, accountAlias: text, balanceKey: text },
  ...{ balanceId: uuid, organizationId: uuid, ledgerId: uuid, route: text, balanceAffected: flag },
  ...{ direction: oneOf('debit', 'credit'), routeId: text, routeCode: text },
  ...{ routeDescription: text, ...written, deletedAt: orNull(instant), metadata: freeForm },
});

/** P27. */
export const transactionSchema = payloadOf(
  {
    ...{ id: uuid, parentTransactionId: uuid, organizationId: uuid, ledgerId: uuid, status },
    ...{ amount: decimal, assetCode: text, chartOfAccountsGroupName: text, description: text },
    ...{ source: listOf(text), destination: listOf(text), route: text, routeId: uuid },
    ...{ operations: listOf(operationSchema), operationsTruncated: flag, metadata: freeForm },
    ...{ feesSkipped: flag, tracerSkipped: flag, ...written },
  },
  ...['parentTransactionId', 'amount', 'chartOfAccountsGroupName', 'description', 'source'],
  ...['destination', 'route', 'routeId', 'operationsTruncated', 'metadata'],
);

/** Builds the payload of contract events §6.5, P27, where a member marked `?` is left out when it is empty. */
export const transactionPayload = (transaction: TransactionRecord): Payload => ({
  id: transaction.id,
  ...filled('parentTransactionId', transaction.parentTransactionId),
  organizationId: transaction.organizationId,
  ledgerId: transaction.ledgerId,
  status: statusOf(transaction.status),
  ...filled('amount', transaction.amount),
  assetCode: transaction.assetCode,
  ...filled('chartOfAccountsGroupName', transaction.chartOfAccountsGroupName),
  ...filled('description', transaction.description),
  ...filled('source', transaction.source),
  ...filled('destination', transaction.destination),
  ...filled('route', transaction.route),
  ...filled('routeId', transaction.routeId),
  operations: transaction.operations.map((operation) => operationPayload(operation, transaction)),
  ...filled('metadata', transaction.metadata),
  feesSkipped: transaction.feesSkipped ?? false,
  tracerSkipped: transaction.tracerSkipped ?? false,
  createdAt: transaction.createdAt,
  updatedAt: transaction.updatedAt,
});

/** Removes the operations from a payload over the limit: consumers read the transaction by its id. */
export const withoutOperations = (payload: Payload): Payload => ({
  ...payload,
  operations: [],
  operationsTruncated: true,
});

/** Includes every member, even if empty; members that the operation does not repeat come from its transaction. */
const operationPayload = (operation: OperationRecord, transaction: TransactionRecord): Payload => ({
  id: operation.id,
  transactionId: transaction.id,
  description: operation.description ?? transaction.description ?? '',
  type: operation.type,
  assetCode: transaction.assetCode,
  chartOfAccounts: operation.chartOfAccounts ?? '',
  amount: { value: operation.amount },
  balance: stateOf(operation.balance),
  balanceAfter: stateOf(operation.balanceAfter),
  status: statusOf(operation.status ?? transaction.status),
  accountId: operation.accountId,
  accountAlias: operation.accountAlias,
  balanceKey: operation.balanceKey,
  balanceId: operation.balanceId,
  organizationId: transaction.organizationId,
  ledgerId: transaction.ledgerId,
  route: operation.route ?? '',
  balanceAffected: operation.balanceAffected ?? true,
  direction: operation.direction,
  routeId: operation.routeId ?? '',
  routeCode: operation.routeCode ?? '',
  routeDescription: operation.routeDescription ?? '',
  createdAt: operation.createdAt ?? transaction.createdAt,
  updatedAt: operation.updatedAt ?? transaction.updatedAt,
  deletedAt: null,
  metadata: operation.metadata ?? {},
});

/** Decimals stay the strings that they are. */
const stateOf = ({ available, onHold, version }: BalanceState) => ({ available, onHold, version });

const statusOf = (code: TransactionStatus) => ({ code, description: code });

function filled(member: string, value: string | object | undefined): Payload {
  const empty = value === undefined || Object.keys(value).length === 0;
  return empty ? NOTHING : { [member]: value };
}
const NOTHING: Payload = {};
