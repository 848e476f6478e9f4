import type { Facts, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type {
  ByException,
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { keptOperations, transactionBefore } from './before.ts';
import { bookLegs } from './booking.ts';
import type { SettleTransaction } from './commands.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import { checkOpen, recordedLeg, type Leg } from './legs.ts';
import { withOwed } from './overdraft.ts';

/**
 * Ends a pending transaction, by the amounts fixed when it was created. A commit moves what was held to where it
 * waits to go; accounts blocked or closed meanwhile stop it, funds cannot. A cancellation gives back, whatever is blocked.
 */
export function settleTransaction(
  ledger: Ledger,
  { type, transactionId, accountBlockExceptionId }: SettleTransaction,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent {
  const before = transactionBefore(ledger, transactionId, facts);
  if (before.status !== 'PENDING') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${before.status}, not PENDING.`);
  }
  return type === 'CommitTransaction'
    ? commit(ledger, before, stamp, accountBlockExceptionId)
    : cancel(ledger, before, stamp);
}

function commit(
  ledger: Ledger,
  before: TransactionRecord,
  stamp: Stamp,
  exceptionId: Uuid | undefined,
): TransactionEvent {
  const { id, awaiting = [] } = before;
  const legs = [
    ...held(ledger, before),
    ...awaiting.map((leg) => recordedLeg(ledger, 'credit', leg)),
  ];
  checkOpen(legs, exceptionOf(ledger, exceptionId, stamp.instant));
  const booked = bookLegs('commit', id, legs, new Map(), before.operations.length);
  return ended('TransactionCommitted', before, 'APPROVED', booked, stamp, usedBy(exceptionId));
}

function cancel(ledger: Ledger, before: TransactionRecord, stamp: Stamp): TransactionEvent {
  const { id, operations } = before;
  const booked = bookLegs('cancel', id, held(ledger, before), new Map(), operations.length);
  return ended('TransactionCanceled', before, 'CANCELED', booked, stamp);
}

const held = (ledger: Ledger, { operations }: TransactionRecord): Leg[] =>
  withOwed(operations).map(({ operation, owed }) => ({
    ...recordedLeg(ledger, 'debit', operation),
    owed,
  }));

function ended(
  type: 'TransactionCommitted' | 'TransactionCanceled',
  { awaiting: _, ...before }: TransactionRecord,
  status: TransactionRecord['status'],
  booked: readonly OperationRecord[],
  { instant }: Stamp,
  by: ByException = {},
): TransactionEvent {
  const own = { status, createdAt: instant, updatedAt: instant };
  const operations = [
    ...keptOperations(before),
    ...booked.map((operation) => ({ ...operation, ...own })),
  ];
  const transaction = { ...before, status, operations, updatedAt: instant };
  return { type, data: { transaction, stepOperations: booked.length, ...by } };
}
