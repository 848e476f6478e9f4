import { add, ZERO } from '#src/domain/amount.ts';
import type { EventName, Facts, Needs, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { needsTransaction, transactionBefore } from './before.ts';
import { bookLegs } from './booking.ts';
import type { RevertTransaction } from './commands.ts';
import { aliasesOf, checkLegs, recordedLeg, type Leg } from './legs.ts';
import { withOwed } from './overdraft.ts';
import { isGroupMember } from './settle.ts';

export function needsRevert(
  ledger: Ledger,
  { transactionId }: RevertTransaction,
  facts: Facts,
): Needs | undefined {
  const reversal = reversalOf(transactionId);
  if (facts.revisionOf(reversal) === undefined) return { names: [reversal] };
  return needsTransaction(ledger, transactionId, facts);
}

/**
 * The mirror of a settled transaction, once: what it credited gives, what it debited receives, as an ordinary
 * transaction that funds, blocks and permissions may still refuse (contract ledger §7.7).
 */
export function revertTransaction(
  ledger: Ledger,
  { transactionId, accountBlockExceptionId }: RevertTransaction,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent {
  const reverted = transactionBefore(ledger, transactionId, facts);
  if (reverted.groupId !== undefined) throw isGroupMember();
  checkRevertible(reverted, facts);
  const legs = mirrored(ledger, reverted);
  const exception = exceptionOf(ledger, accountBlockExceptionId, stamp.instant);
  checkLegs(legs, reverted.assetCode, exception);

  const id = stamp.ids.nextWhole();
  const { description, chartOfAccountsGroupName, route, routeId, metadata } = reverted;
  const transaction: TransactionRecord = {
    id,
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    parentTransactionId: reverted.id,
    ...(description !== undefined && { description }),
    status: 'APPROVED',
    amount: reverted.amount,
    assetCode: reverted.assetCode,
    ...(chartOfAccountsGroupName !== undefined && { chartOfAccountsGroupName }),
    source: aliasesOf(legs, 'debit'),
    destination: aliasesOf(legs, 'credit'),
    ...(route !== undefined && { route }),
    ...(routeId !== undefined && { routeId }),
    ...(metadata !== undefined && { metadata }),
    operations: bookLegs('post', id, legs, new Map()),
    createdAt: stamp.instant,
    updatedAt: stamp.instant,
  };
  const data = { transaction, ...usedBy(accountBlockExceptionId) };
  return { type: 'TransactionPosted', data };
}

function checkRevertible({ id, status, parentTransactionId }: TransactionRecord, facts: Facts) {
  if (status !== 'APPROVED') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${status}, not APPROVED.`);
  }
  if (parentTransactionId !== undefined) {
    throw refuse('REVERSAL_OF_REVERSAL', 'The transaction is itself a reversal.');
  }
  if (facts.revisionOf(reversalOf(id)) !== null) {
    throw refuse('REVERTED_ALREADY', 'The transaction has been reverted.');
  }
}

/**
 * Holds and releases have come to nothing; what remains is what moved, and a leg has moved what its overdraft took
 * over of it as well.
 */
export function mirrored(ledger: Ledger, { operations }: TransactionRecord): Leg[] {
  const moved = operations.filter(({ type }) => type !== 'ON_HOLD' && type !== 'RELEASE');
  return withOwed(moved).map(({ operation, owed }) => {
    const side = operation.direction === 'credit' ? 'debit' : 'credit';
    const leg = recordedLeg(ledger, side, operation);
    return owed === ZERO ? leg : { ...leg, amount: add(leg.amount, owed) };
  });
}

const reversalOf = (key: Uuid): EventName => ({ kind: 'reversal', key });
