import { add, ZERO } from '#src/kernel/amount.ts';
import type { EventName, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { needsDebts } from '#commands/ledger/fee-debts/find-debt.ts';
import { revertDebts } from '#commands/ledger/fee-debts/revert-debts.ts';
import { RunningDebts } from '#commands/ledger/fee-debts/running-debts.ts';
import { settleFromCredits } from '#commands/ledger/fee-debts/settle-debts.ts';
import { findTransaction, needsTransaction, transactionBefore } from './load-transaction.ts';
import { bookLegs } from './booking.ts';
import type { RevertTransaction } from './commands.ts';
import { checkLegs, recordedLeg, type Leg } from './legs.ts';
import { newTransaction, withDebtChanges } from './new-transaction.ts';
import { withOwed } from './overdraft.ts';
import type { RunningBalances } from './running-balance.ts';
import { checkBidirectional, routedLegs } from './routing.ts';
import { groupMemberRefusal } from './settle.ts';
import { needsTemplate, templateOf } from './route-lookup.ts';

export function needsRevert(ledger: Ledger, revertedId: Uuid, facts: Facts): Needs | undefined {
  const reversal = reversalOf(revertedId);
  if (facts.revisionOf(reversal) === undefined) return { names: [reversal] };
  const needs = needsTransaction(ledger, revertedId, facts);
  if (needs !== undefined) return needs;
  const reverted = findTransaction(ledger, revertedId, facts);
  const ofDebts = needsDebts(ledger, reverted?.feeDebts, facts);
  if (ofDebts !== undefined || !ledger.settings.accounting.validateRoutes) return ofDebts;
  return reverted && needsTemplate(ledger, reverted, facts);
}

/**
 * Creates the mirror of a settled transaction, once: accounts that it credited are debited, and vice versa. Funds,
 * blocks and permissions may refuse it as any other transaction (contract ledger §7.7).
 */
export function revertTransaction(
  ledger: Ledger,
  { transactionId, accountBlockExceptionId, paysDebts = false }: RevertTransaction,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent {
  const reverted = transactionBefore(ledger, transactionId, facts);
  if (reverted.groupId !== undefined) throw groupMemberRefusal();
  checkRevertible(reverted);
  if (facts.revisionOf(reversalOf(transactionId)) !== null) {
    throw refuse('REVERTED_ALREADY', 'The transaction has been reverted.');
  }
  const debts = new RunningDebts(ledger.debts, stamp.instant);
  const { reopened, refunded } = revertDebts(ledger, reverted, debts, facts);
  const found = mirrored(ledger, reverted);
  const exception = exceptionOf(ledger, accountBlockExceptionId, stamp.instant);
  checkLegs([...reopened, ...refunded, ...found], reverted.assetCode, exception);
  const { legs, relies } = applyRoute(ledger, reverted, found, facts);

  const id = stamp.ids.nextWhole();
  const running: RunningBalances = new Map();
  // Fee accounts return first, because the debtors need it for what they give back.
  const returned = bookLegs('fee refund', id, reopened, running);
  const refunds = bookLegs('fee refund', id, refunded, running, returned.length);
  const earlier = returned.length + refunds.length;
  const mirror = bookLegs('post', id, legs, running, earlier);
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
    operations: [...returned, ...refunds, ...mirror],
  });
  const paid = paysDebts
    ? settleFromCredits({ ledger, id, running, debts }, [...refunds, ...mirror], transaction)
    : [];
  const whole = { ...transaction, operations: [...transaction.operations, ...paid] };
  const data = {
    transaction: withDebtChanges(whole, debts),
    ...relies,
    ...usedBy(accountBlockExceptionId),
  };
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

/** Mirrors the legs: holds and releases cancel out, and what an overdraft took over counts to its leg. Debts are apart. */
export function mirrored(ledger: Ledger, { operations }: TransactionRecord): Leg[] {
  const moved = withOwed(operations).filter(({ operation: { type } }) => !LEFT_OUT.has(type));
  return moved.map(({ operation, owed }) => {
    const side = operation.direction === 'credit' ? 'debit' : 'credit';
    const leg = recordedLeg(ledger, side, operation);
    return owed === ZERO ? leg : { ...leg, amount: add(leg.amount, owed) };
  });
}

const LEFT_OUT: ReadonlySet<OperationRecord['type']> = new Set([
  ...(['ON_HOLD', 'RELEASE', 'FEE_SETTLEMENT', 'FEE_REFUND'] as const),
]);

export const reversalOf = (key: Uuid): EventName => ({ kind: 'reversal', key });
