import type { Instant } from '#src/kernel/instant.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Payload } from '#src/bridge/payload.ts';
import { count, decimal, instant, oneOf, text, uuid } from '#src/bridge/payload-members.ts';
import { payloadOf } from '#src/bridge/payload-schema.ts';

/** P23. */
export const balanceChangedSchema = payloadOf(
  {
    ...{ organizationId: uuid, ledgerId: uuid, accountId: uuid, balanceId: uuid, alias: text },
    ...{ assetCode: text, balanceKey: text, available: decimal, onHold: decimal, version: count },
    reason: oneOf(
      ...['credit', 'debit', 'block', 'unblock', 'hold', 'release', 'overdraft', 'adjust'],
    ),
    ...{ operationType: text, direction: oneOf('debit', 'credit'), amount: decimal },
    ...{ transactionId: uuid, operationId: uuid, occurredAt: instant },
  },
  ...['alias', 'direction'],
);

/** Builds the payload of a changed balance, with its state after the operation (contract events §6.5, P23). */
export const balanceChangedPayload = (
  operation: OperationRecord,
  { id, organizationId, ledgerId, assetCode }: TransactionRecord,
  recordedAt: Instant,
): Payload => ({
  organizationId,
  ledgerId,
  accountId: operation.accountId,
  balanceId: operation.balanceId,
  alias: operation.accountAlias,
  assetCode,
  balanceKey: operation.balanceKey,
  available: operation.balanceAfter.available,
  onHold: operation.balanceAfter.onHold,
  version: operation.balanceAfter.version,
  reason: reasonOf(operation),
  operationType: operation.type,
  direction: operation.direction,
  amount: operation.amount,
  transactionId: id,
  operationId: operation.id,
  occurredAt: recordedAt, // Not the client's own date: consumers order by it.
});

function reasonOf({ type, direction }: OperationRecord): string {
  switch (type) {
    case 'DEBIT':
      return 'debit';
    case 'CREDIT':
      return 'credit';
    case 'ON_HOLD':
      return 'hold';
    case 'RELEASE':
      return 'release';
    case 'OVERDRAFT':
      return 'overdraft';
    case 'BLOCK':
      return 'block';
    case 'UNBLOCK':
      return 'unblock';
    case 'FEE_SETTLEMENT':
    case 'FEE_REFUND':
      return direction;
    default:
      return unreachable(type);
  }
}
