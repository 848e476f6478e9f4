import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { isFuture, type Instant } from '#src/kernel/instant.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import { useUp } from '#commands/ledger/state/live-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { amountText, annotateLegs, bookLegs } from './booking.ts';
import type {
  LocatedRequest,
  PostTransaction,
  PostTransactions,
  TransactionRequest,
} from './commands.ts';
import type { BookingStep } from './effects.ts';
import { checkExpansion } from './expansion.ts';
import { checkHoldable, checkLegs, checkNamedBalances, legsOf, type Leg } from './legs.ts';
import { itemLocation } from './locations.ts';
import { newTransaction } from './new-transaction.ts';
import { prepare } from './prepare.ts';
import { checkAppendSize } from './append-size.ts';
import { routedLegs, type RouteAction } from './routing.ts';
import type { RunningBalances } from './running-balance.ts';
import { needsTemplate, templateOf } from './route-lookup.ts';

/** Looks up the routes of the organization, if the ledger validates routes. */
export function needsPosting(
  ledger: Ledger,
  command: PostTransaction | PostTransactions,
  facts: Facts,
): Needs | undefined {
  if (!ledger.settings.accounting.validateRoutes) return undefined;
  if (command.type === 'PostTransaction') return needsTemplate(ledger, command.request, facts);
  for (const request of command.requests) {
    const needs = needsTemplate(ledger, request, facts);
    if (needs !== undefined) return needs;
  }
  return undefined;
}

/** Decides one transaction: the event has every operation with the state of its balance before and after. */
export function postTransaction(
  ledger: Ledger,
  { request, locations, as }: LocatedRequest & Pick<PostTransaction, 'as'>,
  facts: Facts,
  stamp: Stamp,
  running: RunningBalances = new Map(),
): TransactionEvent {
  const isPending = request.pending === true && as === undefined;
  const createdAt = dateOf(request, isPending, stamp, locations.transactionDate);
  const { value, postings, skipped } = prepare({ request, locations }, ledger);
  const found = legsOf(ledger, postings);
  const settles = !isPending && as === undefined;
  const exceptionId = settles ? request.accountBlockExceptionId : undefined;
  if (as === 'annotation') checkNamedBalances(found, request.send.asset);
  else checkLegs(found, request.send.asset, exceptionOf(ledger, exceptionId, stamp.instant));
  if (isPending) checkHoldable(found.filter(isSource));
  const action = isPending ? 'hold' : ACTIONS[as ?? 'post'];
  const { legs, routeId, relies } = applyRoute(
    ledger,
    { request, locations },
    found,
    action,
    facts,
  );

  const id = stamp.ids.nextWhole();
  const transaction = newTransaction(ledger, stamp, {
    id,
    status: as === 'annotation' ? 'NOTED' : isPending ? 'PENDING' : 'APPROVED',
    amount: amountText(value),
    assetCode: request.send.asset,
    details: request,
    routeId: routeId ?? request.routeId,
    skipped,
    legs,
    awaiting: isPending ? legs.filter((leg) => !isSource(leg)) : undefined,
    operations:
      as === 'annotation'
        ? annotateLegs(id, legs)
        : bookLegs(
            stepOf(as, isPending, ledger),
            id,
            isPending ? legs.filter(isSource) : legs,
            running,
          ),
    createdAt,
  });
  if (as === 'annotation') return { type: 'TransactionNoted', data: { transaction } };
  const data = { transaction, ...relies };
  if (!isPending) {
    return { type: 'TransactionPosted', data: { ...data, ...usedBy(exceptionId) } };
  }
  checkAppendSize(ledger, transaction);
  return { type: 'TransactionHeld', data };
}

function stepOf(
  as: 'block' | 'unblock' | undefined,
  isPending: boolean,
  { settings }: Ledger,
): BookingStep {
  if (!isPending) return as ?? 'post';
  return settings.accounting.validateRoutes ? 'two-step hold' : 'hold';
}

/** The accounting entry that each form follows; an annotation follows none. */
const ACTIONS: Readonly<
  Record<NonNullable<PostTransaction['as']> | 'post', RouteAction | undefined>
> = {
  post: 'direct',
  block: 'block',
  unblock: 'unblock',
  annotation: undefined,
};

/** Checks the legs against the transaction's route and copies its entries, if the ledger validates routes. */
function applyRoute(
  ledger: Ledger,
  { request, locations }: LocatedRequest,
  legs: readonly Leg[],
  action: RouteAction | undefined,
  facts: Facts,
) {
  if (!ledger.settings.accounting.validateRoutes || action === undefined) return { legs };
  const template = templateOf(ledger, request, facts, locations);
  const { id: routeId, relies } = template;
  return { legs: routedLegs(legs, action, template), routeId, relies };
}

/** Decides all or none, each on the balances that the ones before it leave; one refusal refuses the batch. */
export function postTransactions(
  ledger: Ledger,
  { requests, items, locations, most }: PostTransactions,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent[] {
  const running: RunningBalances = new Map();
  const exceptions = new Map(ledger.exceptions);
  const events = requests.map((request, n) => {
    try {
      const before = { ...ledger, exceptions };
      const event = postTransaction(before, { request, locations }, facts, stamp, running);
      if ('accountBlockExceptionId' in event.data) useUp(exceptions, event.data);
      return event;
    } catch (error) {
      throw error instanceof Refusal ? error.within(itemLocation(items, n)) : error;
    }
  });
  if (most !== undefined) checkExpansion(events, most);
  return events;
}

const isSource = ({ direction }: Leg): boolean => direction === 'debit';

/**
 * Chooses `createdAt`: the client's own date, which may lie in the past, or the moment of recording. Errors:
 * DATE_IN_FUTURE, DATE_WITH_PENDING.
 */
function dateOf(
  { transactionDate }: TransactionRequest,
  isPending: boolean,
  stamp: Stamp,
  location: string,
): Instant {
  if (transactionDate === undefined) return stamp.instant;
  if (isFuture(transactionDate, stamp.instant)) {
    throw refuse('DATE_IN_FUTURE', 'A transaction cannot be dated in the future.', {
      findings: [{ location, message: 'lies in the future', value: transactionDate }],
    });
  }
  if (isPending) {
    throw refuse('DATE_WITH_PENDING', 'A pending transaction cannot be dated back.', {
      findings: [{ location, message: 'stands beside pending', value: transactionDate }],
    });
  }
  return transactionDate;
}
