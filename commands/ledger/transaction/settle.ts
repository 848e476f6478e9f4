import type { Facts, Stamp } from '#src/domain/decider.ts';
import { refuse, type Refusal } from '#src/domain/errors.ts';
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
  if (before.groupId !== undefined) throw isGroupMember();
  if (before.status !== 'PENDING') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${before.status}, not PENDING.`);
  }
  if (type === 'CancelTransaction') return cancelTransaction(ledger, before, stamp);
  const legs = commitLegs(ledger, before);
  checkOpen(legs, exceptionOf(ledger, accountBlockExceptionId, stamp.instant));
  return commitTransaction(before, legs, stamp, usedBy(accountBlockExceptionId));
}

/** What was held goes, what awaits comes. Errors: ACCOUNTS_NOT_ELIGIBLE when an account of them is gone. */
export const commitLegs = (ledger: Ledger, before: TransactionRecord): Leg[] => [
  ...held(ledger, before),
  ...(before.awaiting ?? []).map((leg) => recordedLeg(ledger, leg.direction ?? 'credit', leg)),
];

export function commitTransaction(
  before: TransactionRecord,
  legs: readonly Leg[],
  stamp: Stamp,
  how: How = {},
): TransactionEvent {
  const { id, operations } = before;
  const booked = bookLegs('commit', id, legs, new Map(), operations.length);
  return ended('TransactionCommitted', before, { status: 'APPROVED', booked, stamp, how });
}

export function cancelTransaction(
  ledger: Ledger,
  before: TransactionRecord,
  stamp: Stamp,
): TransactionEvent {
  const { id, operations } = before;
  const booked = bookLegs('cancel', id, held(ledger, before), new Map(), operations.length);
  return ended('TransactionCanceled', before, { status: 'CANCELED', booked, stamp });
}

/** All ledgers of a group do the same, or none: one of them alone does nothing. */
export const isGroupMember = (): Refusal =>
  refuse('GROUP_MEMBER', 'The transaction is part of a group; use version 2.');

const held = (ledger: Ledger, { operations }: TransactionRecord): Leg[] =>
  withOwed(operations).map(({ operation, owed }) => ({
    ...recordedLeg(ledger, 'debit', operation),
    owed,
  }));

function ended(
  type: 'TransactionCommitted' | 'TransactionCanceled',
  { awaiting: _, ...before }: TransactionRecord,
  { status, booked, stamp: { instant }, how }: End,
): TransactionEvent {
  const own = { status, createdAt: instant, updatedAt: instant };
  const operations = [
    ...keptOperations(before),
    ...booked.map((operation) => ({ ...operation, ...own })),
  ];
  const transaction = { ...before, status, operations, updatedAt: instant };
  return { type, data: { transaction, stepOperations: booked.length, ...how } };
}

type End = Readonly<{
  status: TransactionRecord['status'];
  booked: readonly OperationRecord[];
  stamp: Stamp;
  how?: How;
}>;
type How = Readonly<{ direct?: true }> & ByException;
