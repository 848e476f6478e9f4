import type { BalanceState } from '#src/events/ledger/account.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  instant,
  instantOrNull,
  metadataView,
  record,
  statusView,
  uuid,
  type Version,
} from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const balanceState = record(
  {
    available: { type: 'string' },
    onHold: { type: 'string' },
    version: { type: 'integer' },
    overdraftUsed: { type: 'string' },
  },
  ['available', 'onHold', 'version', 'overdraftUsed'],
);

/** Contract ledger §5.6. */
export const operationSchema = {
  title: 'Operation',
  ...record(
    {
      id: uuid,
      transactionId: uuid,
      description: { type: 'string' },
      type: { type: 'string' },
      direction: { type: 'string', enum: ['credit', 'debit'] },
      assetCode: { type: 'string' },
      chartOfAccounts: { type: 'string' },
      amount: record({ value: { type: 'string' } }, ['value']),
      balance: balanceState,
      balanceAfter: balanceState,
      status: statusView,
      accountId: uuid,
      accountAlias: { type: 'string' },
      balanceId: uuid,
      balanceKey: { type: 'string' },
      organizationId: uuid,
      ledgerId: uuid,
      balanceAffected: { type: 'boolean' },
      route: { type: 'string', deprecated: true },
      routeId: uuid,
      routeCode: { type: 'string' },
      routeDescription: { type: 'string' },
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    [
      'id',
      'transactionId',
      'description',
      'type',
      'direction',
      'assetCode',
      'amount',
      'balance',
      'balanceAfter',
      'status',
      'accountId',
      'accountAlias',
      'balanceId',
      'balanceKey',
      'organizationId',
      'ledgerId',
      'balanceAffected',
      'metadata',
      'createdAt',
      'updatedAt',
      'deletedAt',
    ],
  ),
} as const satisfies Schema;

const { chartOfAccounts: _chart, route: _route, ...members } = operationSchema.properties;

/** Omits the members that version 1 keeps for its clients. */
export const operationSchemaV2 = {
  title: 'OperationV2',
  ...record(members, operationSchema.required),
} as const satisfies Schema;

/**
 * Shows one operation with the members that it shares with its transaction. An operation that affects no balance shows
 * the amount 0, whatever amount the annotation recorded, because clients add up operations (contract ledger §7.6).
 */
export function operationView(
  operation: OperationRecord,
  transaction: TransactionRecord,
  version: Version,
) {
  const status = operation.status ?? transaction.status;
  const { balanceAffected = true } = operation;
  return {
    id: operation.id,
    transactionId: transaction.id,
    description: operation.description ?? transaction.description ?? '',
    type: operation.type,
    direction: operation.direction,
    assetCode: transaction.assetCode,
    chartOfAccounts: version === 1 ? (operation.chartOfAccounts ?? '') : undefined,
    amount: { value: balanceAffected ? operation.amount : '0' },
    balance: balanceStateView(operation.balance),
    balanceAfter: balanceStateView(operation.balanceAfter),
    status: { code: status, description: status },
    accountId: operation.accountId,
    accountAlias: operation.accountAlias,
    balanceId: operation.balanceId,
    balanceKey: operation.balanceKey,
    organizationId: transaction.organizationId,
    ledgerId: transaction.ledgerId,
    balanceAffected,
    route: version === 1 ? (operation.route ?? '') : undefined,
    routeId: operation.routeId,
    routeCode: operation.routeCode,
    routeDescription: operation.routeDescription,
    metadata: operation.metadata ?? {},
    createdAt: operation.createdAt ?? transaction.createdAt,
    updatedAt: operation.updatedAt ?? transaction.updatedAt,
    deletedAt: null,
  };
}

const balanceStateView = (state: BalanceState) => ({
  available: state.available,
  onHold: state.onHold,
  version: state.version,
  overdraftUsed: state.overdraftUsed,
});
