import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { balanceChangedPayload } from './balance-payload.ts';
import type { Definition } from '#src/bridge/definition.ts';
import type { JournalEvent } from '#src/bridge/journal-event.ts';
import { transactionPayload, withoutOperations } from './transaction-payload.ts';

/** Ordered as the events of one operation follow each other (contract events §6.6). */
export const definitions: readonly Definition[] = [
  {
    key: 'transaction.posted',
    schemaVersion: '1.0.0',
    tail: 'ledger_transaction.posted',
    enabled: true,
    // A direct participant of a cross-ledger transaction is posted when its preparatory hold is committed.
    types: ['TransactionPosted', 'TransactionCommitted'],
    emissions: (event) => {
      if (event.type === 'TransactionCommitted' && !isDirect(event)) return [];
      const transaction = transactionOf(event);
      if (transaction.parentTransactionId !== undefined) return []; // A reversal is transaction.reverted.
      const { id } = transaction;
      return [{ subject: id, recordKey: id, payload: transactionPayload(transaction) }];
    },
    shortened: withoutOperations,
  },
  {
    key: 'balance.changed',
    schemaVersion: '1.0.0',
    tail: 'ledger_balance.changed',
    enabled: true,
    types: ['TransactionPosted', 'TransactionHeld', 'TransactionCommitted', 'TransactionCanceled'],
    emissions: (event) => {
      const transaction = transactionOf(event);
      return ofThisStep(event, transaction).map((operation, n, step) => ({
        subject: `${transaction.id}:${operation.id}`,
        recordKey: owing(operation, step[n - 1]).balanceId,
        part: operation.id,
        payload: balanceChangedPayload(operation, transaction, event.recordedAt),
      }));
    },
  },
];

const isDirect = ({ data }: JournalEvent): boolean =>
  (data as Readonly<{ direct?: true }>).direct === true;

const transactionOf = ({ data }: JournalEvent): TransactionRecord =>
  (data as TransactionEvent['data']).transaction;

/**
 * Returns the operation whose record key applies: an overdraft draw or repayment stays in order with the balance that
 * owes it, whose operation precedes it.
 */
const owing = (operation: OperationRecord, before = operation): OperationRecord =>
  operation.origin === 'overdraft' ? before : operation;

/** Returns the operations of the last step, which this event records; a transaction carries those of all its steps. */
function ofThisStep({ data }: JournalEvent, { operations }: TransactionRecord) {
  const { stepOperations } = data as Readonly<{ stepOperations?: number }>;
  return operations.slice(operations.length - (stepOperations ?? operations.length));
}
