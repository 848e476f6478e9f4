import { add, ZERO } from '#src/kernel/amount.ts';
import type { EventName, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { findTransaction, needsTransaction, transactionBefore } from './load-transaction.ts';
import { bookLegs } from './booking.ts';
import type { RevertTransaction } from './commands.ts';
import { checkLegs, recordedLeg, type Leg } from './legs.ts';
import { newTransaction } from './new-transaction.ts';
import { withOwed } from './overdraft.ts';
import { checkBidirectional, routedLegs } from './routing.ts';
import { groupMemberRefusal } from './settle.ts';
import { needsTemplate, templateOf } from './route-lookup.ts';

export function needsRevert(ledger: Ledger, revertedId: Uuid, facts: Facts): Needs | undefined {
  const reversal = reversalOf(revertedId);
  if (facts.revisionOf(reversal) === undefined) return { names: [reversal] };
  const needs = needsTransaction(ledger, revertedId, facts);
  if (needs !== undefined || !ledger.settings.accounting.validateRoutes) return needs;
  const reverted = findTransaction(ledger, revertedId, facts);
  return reverted && needsTemplate(ledger, reverted, facts);
}

/**
 * Creates the mirror of a settled transaction, once: accounts that it credited are debited, and vice versa. Funds,
 * blocks and permissions may refuse it as any other transaction (contract ledger §7.7).
 */
export function revertTransaction(
  ledger: Ledger,
  { transactionId, accountBlockExceptionId }: RevertTransaction,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent {
  const reverted = transactionBefore(ledger, transactionId, facts);
  if (reverted.groupId !== undefined) throw groupMemberRefusal();
  checkRevertible(reverted);
  if (facts.revisionOf(reversalOf(transactionId)) !== null) {
    throw refuse('REVERTED_ALREADY', 'The transaction has been reverted.');
  }
  const found = mirrored(ledger, reverted);
  const exception = exceptionOf(ledger, accountBlockExceptionId, stamp.instant);
  checkLegs(found, reverted.assetCode, exception);
  const { legs, relies } = applyRoute(ledger, reverted, found, facts);

  const id = stamp.ids.nextWhole();
  const { amount, assetCode, description, chartOfAccountsGroupName, route, metadata } = reverted;
  const transaction = newTransaction(ledger, stamp, {
    id,
    status: 'APPROVED',
    amount,
    assetCode,
    details: {
      parentTransactionId: reverted.id,
      description,
      chartOfAccountsGroupName,
      route,
      metadata,
    },
    routeId: reverted.routeId,
    legs,
    operations: bookLegs('post', id, legs, new Map()),
  });
  const data = { transaction, ...relies, ...usedBy(accountBlockExceptionId) };
  return { type: 'TransactionPosted', data };
}

/** Requires bidirectional operation routes with an entry for reversals, if the ledger validates routes. */
function applyRoute(ledger: Ledger, reverted: TransactionRecord, legs: Leg[], facts: Facts) {
  if (!ledger.settings.accounting.validateRoutes) return { legs };
  const template = templateOf(ledger, reverted, facts);
  checkBidirectional(legs, template);
  return { legs: routedLegs(legs, 'revert', template), relies: template.relies };
}

/** Errors: STATUS_NOT_ALLOWED, REVERSAL_OF_REVERSAL. */
export function checkRevertible({ status, parentTransactionId }: TransactionRecord): void {
  if (status !== 'APPROVED') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${status}, not APPROVED.`);
  }
  if (parentTransactionId !== undefined) {
    throw refuse('REVERSAL_OF_REVERSAL', 'The transaction is itself a reversal.');
  }
}

/** Mirrors the legs: holds and releases cancel out, and what an overdraft took over counts to its leg. */
export function mirrored(ledger: Ledger, { operations }: TransactionRecord): Leg[] {
  const moved = withOwed(operations).filter(
    ({ operation: { type } }) => type !== 'ON_HOLD' && type !== 'RELEASE',
  );
  return moved.map(({ operation, owed }) => {
    const side = operation.direction === 'credit' ? 'debit' : 'credit';
    const leg = recordedLeg(ledger, side, operation);
    return owed === ZERO ? leg : { ...leg, amount: add(leg.amount, owed) };
  });
}

export const reversalOf = (key: Uuid): EventName => ({ kind: 'reversal', key });
