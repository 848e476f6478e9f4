import type { Decision, Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { mergedMetadata, patched } from '#src/kernel/patch.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { keptOperations, transactionBefore } from './load-transaction.ts';
import type { DescriptiveChanges, UpdateOperation, UpdateTransaction } from './commands.ts';
import { checkAppendSize } from './append-size.ts';

/** Changes the description and metadata; booked operations never change. */
export function updateTransaction(
  ledger: Ledger,
  { transactionId, changes }: UpdateTransaction,
  facts: Facts,
  stamp: Stamp,
): Decision<TransactionEvent> {
  const before = transactionBefore(ledger, transactionId, facts);
  const shown = before.description ?? '';
  const { record, changed } = patched(before, described(before, shown, changes), stamp.instant);
  if (changed.length === 0) {
    return { unchanged: { type: 'TransactionUpdated', data: { transaction: before, changed } } };
  }
  const operations = keptOperations(before);
  const transaction = { ...record, operations };
  return [recorded(ledger, { type: 'TransactionUpdated', data: { transaction, changed } })];
}

export function updateOperation(
  ledger: Ledger,
  { transactionId, operationId, changes }: UpdateOperation,
  facts: Facts,
  stamp: Stamp,
): Decision<TransactionEvent> {
  const before = transactionBefore(ledger, transactionId, facts);
  const at = before.operations.findIndex(({ id }) => id === operationId);
  const operation = before.operations[at];
  if (operation === undefined) throw refuse('NOT_FOUND', 'The transaction has no such operation.');
  const shown = operation.description ?? before.description ?? '';
  const patch = described(operation, shown, changes);
  const { record, changed } = patched(operation, patch, stamp.instant);
  if (changed.length === 0) {
    const data = { transaction: before, operationId, changed };
    return { unchanged: { type: 'OperationUpdated', data } };
  }
  const operations = keptOperations({
    ...before,
    operations: before.operations.with(at, record),
  });
  const transaction: TransactionRecord = { ...before, operations };
  return [
    recorded(ledger, { type: 'OperationUpdated', data: { transaction, operationId, changed } }),
  ];
}

/** A description is compared with the one that clients see: sending the same again changes nothing. */
const described = <Value>(
  before: Readonly<{ metadata?: Readonly<Record<string, Value>> }>,
  shown: string,
  { description, metadata }: DescriptiveChanges<Value>,
) => ({
  ...(description !== undefined && description !== shown && { description }),
  ...(metadata !== undefined && { metadata: mergedMetadata(before.metadata, metadata) }),
});

function recorded(ledger: Ledger, event: TransactionEvent): TransactionEvent {
  if (event.data.transaction.status === 'PENDING') checkAppendSize(ledger, event.data.transaction);
  return event;
}
