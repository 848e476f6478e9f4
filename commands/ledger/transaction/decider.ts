import { formatAmount } from '#src/domain/amount.ts';
import type { Stamp } from '#src/domain/decider.ts';
import { Refusal, refuse } from '#src/domain/errors.ts';
import type { Instant } from '#src/domain/instant.ts';
import type { AwaitingLeg, TransactionEvent, TransactionRecord } from '#src/events/ledger.ts';
import { exceptionOf, useUp, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { amountText, bookLegs, noteLegs, wordsOf } from './booking.ts';
import type { PostTransaction, PostTransactions, TransactionRequest } from './commands.ts';
import { checkExpansion } from './expansion.ts';
import { aliasesOf, checkHolds, checkLegs, legOf, type Leg } from './legs.ts';
import { prepare } from './prepare.ts';
import { checkRoom } from './room.ts';
import type { Moving } from './standing.ts';

/** Decides one transaction: every operation with the state before and after it, or a refusal. */
export function postTransaction(
  ledger: Ledger,
  { request, as }: Pick<PostTransaction, 'request' | 'as'>,
  stamp: Stamp,
  moving: Moving = new Map(),
): TransactionEvent {
  const isPending = request.pending === true && as === undefined;
  const createdAt = dateOf(request, isPending, stamp);
  const { value, postings, skipped } = prepare(request, ledger);
  const legs = postings.map((posting) => legOf(ledger, posting));
  const settles = !isPending && as === undefined;
  const exceptionId = settles ? request.accountBlockExceptionId : undefined;
  checkLegs(legs, request.send.asset, exceptionOf(ledger, exceptionId, stamp.instant));

  const id = stamp.ids.nextWhole();
  const { description, chartOfAccountsGroupName, code, route, routeId, scheme, metadata } = request;
  const sources = isPending ? legs.filter(isSource) : legs;
  if (isPending) checkHolds(sources);
  const transaction: TransactionRecord = {
    id,
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    ...(description !== undefined && { description }),
    status: as === 'annotation' ? 'NOTED' : isPending ? 'PENDING' : 'APPROVED',
    amount: amountText(value),
    assetCode: request.send.asset,
    ...(chartOfAccountsGroupName !== undefined && { chartOfAccountsGroupName }),
    ...(code !== undefined && { code }),
    source: aliasesOf(legs, 'debit'),
    destination: aliasesOf(legs, 'credit'),
    ...(route !== undefined && { route }),
    ...(routeId !== undefined && { routeId }),
    ...(scheme !== undefined && { scheme }),
    ...skipped,
    ...(metadata !== undefined && { metadata }),
    ...(isPending && { awaiting: legs.filter((leg) => !isSource(leg)).map(awaiting) }),
    operations:
      as === 'annotation'
        ? noteLegs(id, legs)
        : bookLegs(as ?? (isPending ? 'hold' : 'post'), id, sources, moving),
    createdAt,
    updatedAt: stamp.instant,
  };
  if (as === 'annotation') return { type: 'TransactionNoted', data: { transaction } };
  if (!isPending) {
    return { type: 'TransactionPosted', data: { transaction, ...usedBy(exceptionId) } };
  }
  checkRoom(ledger, transaction);
  return { type: 'TransactionHeld', data: { transaction } };
}

/** All or none: each is decided upon what the ones before it leave. The first that is refused speaks for all. */
export function postTransactions(
  ledger: Ledger,
  { requests, places, most }: PostTransactions,
  stamp: Stamp,
): TransactionEvent[] {
  const moving: Moving = new Map();
  const exceptions = new Map(ledger.exceptions);
  const events = requests.map((request, n) => {
    try {
      const event = postTransaction({ ...ledger, exceptions }, { request }, stamp, moving);
      if ('accountBlockExceptionId' in event.data) useUp(exceptions, event.data);
      return event;
    } catch (error) {
      throw error instanceof Refusal
        ? error.within(`transactions[${String(places?.[n] ?? n)}]`)
        : error;
    }
  });
  if (most !== undefined) checkExpansion(events, most);
  return events;
}

const isSource = ({ direction }: Leg): boolean => direction === 'debit';

/** Also a leg of nothing waits: it is what the request said, and its commit books nothing. */
const awaiting = ({ amount, account, balance, origin, words }: Leg): AwaitingLeg => ({
  amount: formatAmount(amount),
  accountId: account.id,
  accountAlias: account.alias,
  balanceKey: balance.key,
  ...wordsOf(words),
  ...(origin !== 'request' && { origin }),
});

/** The client's own date may lie in the past; it moves `createdAt` and nothing else. */
function dateOf(
  { transactionDate }: TransactionRequest,
  isPending: boolean,
  stamp: Stamp,
): Instant {
  if (transactionDate === undefined) return stamp.instant;
  if (transactionDate > stamp.instant) {
    throw refuse('DATE_IN_FUTURE', 'A transaction cannot be dated in the future.', {
      findings: [
        { location: 'transactionDate', message: 'lies in the future', value: transactionDate },
      ],
    });
  }
  if (isPending) {
    throw refuse('DATE_WITH_PENDING', 'A pending transaction cannot be dated back.', {
      findings: [
        { location: 'transactionDate', message: 'stands beside pending', value: transactionDate },
      ],
    });
  }
  return transactionDate;
}
