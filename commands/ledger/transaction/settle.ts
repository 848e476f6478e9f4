import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type {
  ByException,
  OperationRecord,
  Settlement,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { isTwoStepHold, isTwoStepDebit } from './two-step-hold.ts';
import {
  findTransaction,
  keptOperations,
  needsTransaction,
  transactionBefore,
} from './load-transaction.ts';
import { RunningDebts } from '#commands/ledger/fee-debts/running-debts.ts';
import { settleFromCredits } from '#commands/ledger/fee-debts/settle-debts.ts';
import { bookLegs } from './booking.ts';
import type { SettleTransaction } from './commands.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import { checkAccountsOpen, recordedLeg, type Leg } from './legs.ts';
import { withDebtChanges } from './new-transaction.ts';
import { withOwed } from './overdraft.ts';
import type { RunningBalances } from './running-balance.ts';
import { routedLegs, withRoute } from './routing.ts';
import { findTemplate, needsTemplate, templateOf, type RouteTemplate } from './route-lookup.ts';

/** Looks up the routes of a two-step hold: a commit follows them, a cancellation copies their entries. */
export function needsSettle(
  ledger: Ledger,
  { transactionId }: SettleTransaction,
  facts: Facts,
): Needs | undefined {
  const needs = needsTransaction(ledger, transactionId, facts);
  if (needs !== undefined) return needs;
  const before = findTransaction(ledger, transactionId, facts);
  if (before === undefined || !isTwoStepHold(before.operations)) return undefined;
  return needsTemplate(ledger, before, facts);
}

/**
 * Ends a pending transaction with the amounts and in the form in which it was created. A commit moves the held funds to
 * the destinations; accounts that were blocked or closed meanwhile and routes that it no longer follows refuse it,
 * insufficient funds cannot. A cancellation releases the funds even on blocked accounts.
 */
export function settleTransaction(
  ledger: Ledger,
  command: SettleTransaction,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent {
  const before = transactionBefore(ledger, command.transactionId, facts);
  if (before.groupId !== undefined) throw groupMemberRefusal();
  if (before.status !== 'PENDING') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${before.status}, not PENDING.`);
  }
  return command.type === 'CommitTransaction'
    ? commit(ledger, before, facts, stamp, command)
    : cancelTransaction(ledger, before, facts, stamp);
}

function commit(
  ledger: Ledger,
  before: TransactionRecord,
  facts: Facts,
  stamp: Stamp,
  { accountBlockExceptionId: exceptionId, paysDebts = false }: SettleTransaction,
): TransactionEvent {
  const found = commitLegs(ledger, before);
  checkAccountsOpen(found, exceptionOf(ledger, exceptionId, stamp.instant));
  const template = isTwoStepHold(before.operations) ? templateOf(ledger, before, facts) : undefined;
  const legs = template ? routedLegs(found, 'commit', template, { sides: ['debit'] }) : found;
  const how = { ...template?.relies, ...usedBy(exceptionId) };
  if (!paysDebts || ledger.debts.isEmpty) return commitTransaction(before, legs, stamp, how);
  return commitTransaction(before, legs, stamp, how, ledger);
}

/** Releases the source's hold and settles the pending credit. Errors: ACCOUNTS_NOT_ELIGIBLE. */
export const commitLegs = (ledger: Ledger, before: TransactionRecord): Leg[] => [
  ...heldLegs(ledger, before),
  ...(before.awaiting ?? []).map((leg) => recordedLeg(ledger, leg.direction ?? 'credit', leg)),
];

/** With `owing`, the ledger of the transaction, its credits also pay fee debts. */
export function commitTransaction(
  before: TransactionRecord,
  legs: readonly Leg[],
  stamp: Stamp,
  how: SettlementDetails = {},
  owing?: Ledger,
): TransactionEvent {
  const { id, operations } = before;
  const step = isTwoStepHold(operations) ? 'two-step commit' : 'commit';
  const running: RunningBalances = new Map();
  const booked = bookLegs(step, id, legs, running, operations.length);
  const { instant } = stamp;
  if (owing === undefined) return ended('TransactionCommitted', before, booked, instant, how);

  const debts = new RunningDebts(owing.debts, instant);
  const recorded = { ...before, operations: [...operations, ...booked] };
  const paid = settleFromCredits({ ledger: owing, id, running, debts }, booked, recorded);
  const event = ended('TransactionCommitted', before, [...booked, ...paid], instant, how);
  const transaction = withDebtChanges(event.data.transaction, debts);
  return { ...event, data: { ...event.data, transaction } };
}

export function cancelTransaction(
  ledger: Ledger,
  before: TransactionRecord,
  facts: Facts,
  { instant }: Stamp,
): TransactionEvent {
  const { id, operations } = before;
  const apart = isTwoStepHold(operations);
  const template = apart ? findTemplate(ledger, before, facts) : undefined;
  const found = heldLegs(ledger, before);
  const legs = template ? found.map((leg) => withRoute(leg, 'cancel', template)) : found;
  const step = apart ? 'two-step cancel' : 'cancel';
  const booked = bookLegs(step, id, legs, new Map(), operations.length);
  return ended('TransactionCanceled', before, booked, instant, { ...template?.relies });
}

/** The ledgers of a group act together: no single ledger settles or reverts its part. */
export const groupMemberRefusal = (): Refusal =>
  refuse('GROUP_MEMBER', 'The transaction is part of a group; use version 2.');

/** The amounts that the sources gave; in a two-step hold the first operation of each has it. */
const heldLegs = (ledger: Ledger, { operations }: TransactionRecord): Leg[] =>
  withOwed(operations)
    .filter(({ operation }) => isTwoStepDebit(operation) || !isTwoStepHold(operations))
    .map(({ operation, owed }) => ({ ...recordedLeg(ledger, 'debit', operation), owed }));

function ended(
  type: 'TransactionCommitted' | 'TransactionCanceled',
  { awaiting: _, ...before }: TransactionRecord,
  booked: readonly OperationRecord[],
  instant: Instant,
  how: SettlementDetails,
): TransactionEnded {
  const status = type === 'TransactionCommitted' ? ('APPROVED' as const) : ('CANCELED' as const);
  const own = { status, createdAt: instant, updatedAt: instant };
  const operations = [
    ...keptOperations(before),
    ...booked.map((operation) => ({ ...operation, ...own })),
  ];
  const transaction = { ...before, status, operations, updatedAt: instant };
  return { type, data: { transaction, stepOperations: booked.length, ...how } };
}

type TransactionEnded = Readonly<{
  type: 'TransactionCommitted' | 'TransactionCanceled';
  data: Settlement;
}>;

type SettlementDetails = Readonly<{ direct?: true }> & ByException & RouteTemplate['relies'];
