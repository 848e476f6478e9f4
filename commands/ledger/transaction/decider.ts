import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { subtract, ZERO } from '#src/kernel/amount.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { isFuture, type Instant } from '#src/kernel/instant.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import { useUp } from '#commands/ledger/state/live-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { deferFees, openDebts } from '#commands/ledger/fee-debts/defer-fees.ts';
import { RunningDebts } from '#commands/ledger/fee-debts/running-debts.ts';
import { settleFromCredits } from '#commands/ledger/fee-debts/settle-debts.ts';
import { applyFees, needsFees } from './apply-fees.ts';
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
import { newTransaction, withDebtChanges } from './new-transaction.ts';
import { postPlain } from './plain-posting.ts';
import { prepare } from './prepare.ts';
import { checkAppendSize } from './append-size.ts';
import { routedLegs, type RouteAction } from './routing.ts';
import type { RunningBalances } from './running-balance.ts';
import { needsTemplate, templateOf, type RouteTemplate } from './route-lookup.ts';

/** Looks up the fees of the organization, and its routes if the ledger validates routes. */
export function needsPosting(
  ledger: Ledger,
  command: PostTransaction | PostTransactions,
  facts: Facts,
): Needs | undefined {
  const { fees } = command;
  if (command.type === 'PostTransaction') return needsRequest(ledger, command, facts);
  for (const request of command.requests) {
    const needs = needsRequest(ledger, { request, fees }, facts);
    if (needs !== undefined) return needs;
  }
  return undefined;
}

function needsRequest(
  ledger: Ledger,
  asked: Pick<PostTransaction, 'request' | 'fees'>,
  facts: Facts,
): Needs | undefined {
  const needs = needsFees(ledger, asked, facts);
  if (needs !== undefined || !ledger.settings.accounting.validateRoutes) return needs;
  return needsTemplate(ledger, asked.request, facts);
}

/** Decides one transaction: the event has every operation with the state of its balance before and after. */
export const postTransaction = (
  ledger: Ledger,
  asked: NewPosting,
  facts: Facts,
  stamp: Stamp,
  running?: RunningBalances,
  debts?: RunningDebts,
): TransactionEvent =>
  postPlain(ledger, asked, facts, stamp, running, debts) ??
  postByRules(ledger, asked, facts, stamp, running, debts);

type NewPosting = LocatedRequest & Pick<PostTransaction, 'as' | 'fees'>;

/** Applies every rule to a transaction. Errors: all refusals of new transactions. */
export function postByRules(
  ledger: Ledger,
  { request, locations, as, fees }: NewPosting,
  facts: Facts,
  stamp: Stamp,
  running: RunningBalances = new Map(),
  batchDebts?: RunningDebts,
): TransactionEvent {
  const isPending = request.pending === true && as === undefined;
  const createdAt = dateOf(request, isPending, stamp, locations.transactionDate);
  const prepared = prepare({ request, locations }, ledger);
  const authored = legsOf(ledger, prepared.postings);
  const settles = !isPending && as === undefined;
  const exceptionId = settles ? request.accountBlockExceptionId : undefined;
  const exception = exceptionOf(ledger, exceptionId, stamp.instant);
  const { asset } = request.send;
  if (as === 'annotation') checkNamedBalances(authored, asset);
  const passes = as === 'annotation' ? undefined : checkLegs(authored, asset, exception);
  if (isPending) checkHoldable(authored.filter(isSource));

  const withFees = applyFees(ledger, { request, fees }, prepared, authored, facts);
  if (withFees !== undefined) checkLegs(withFees.feeLegs, asset, passes && (() => passes));

  const action = isPending ? 'hold' : ACTIONS[as ?? 'post'];
  const {
    legs: charged,
    routeId,
    relies,
  } = applyRoute(ledger, { request, locations }, withFees?.legs ?? authored, action, facts);

  const id = stamp.ids.nextWhole();
  const deferred = settles && fees === 2 ? deferFees(charged, running) : undefined;
  const { legs, total: owed } = deferred ?? { legs: charged, total: ZERO };
  const transaction = newTransaction(ledger, stamp, {
    id,
    status: as === 'annotation' ? 'NOTED' : isPending ? 'PENDING' : 'APPROVED',
    amount: amountText(subtract((withFees ?? prepared).value, owed)),
    assetCode: asset,
    details: withFees === undefined ? request : { ...request, metadata: withFees.metadata },
    routeId: routeId ?? request.routeId,
    skipped: prepared.skipped,
    feePackage: withFees?.feePackage,
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
  if (isPending) {
    checkAppendSize(ledger, transaction);
    return { type: 'TransactionHeld', data: { transaction, ...relies } };
  }
  const hasDebts = deferred !== undefined || !(batchDebts ?? ledger.debts).isEmpty;
  if (fees !== 2 || !hasDebts) return postedWith(transaction, relies, exceptionId);
  const debts = batchDebts ?? new RunningDebts(ledger.debts, stamp.instant);
  const origin = { id, assetCode: asset, feePackageId: withFees?.feePackage.id };
  openDebts(debts, deferred?.owed ?? [], origin);
  const settled = withSettlement(ledger, transaction, running, debts);
  return postedWith(settled, relies, exceptionId);
}

const postedWith = (
  transaction: TransactionRecord,
  relies: RouteTemplate['relies'] | undefined,
  exceptionId: Uuid | undefined,
): TransactionEvent => ({
  type: 'TransactionPosted',
  data: { transaction, ...relies, ...usedBy(exceptionId) },
});

/** Adds the operations by which the credits of a transaction pay debts, and all its changes of debts. */
function withSettlement(
  ledger: Ledger,
  transaction: TransactionRecord,
  running: RunningBalances,
  debts: RunningDebts,
): TransactionRecord {
  const { id, operations } = transaction;
  const paid = settleFromCredits({ ledger, id, running, debts }, operations, transaction);
  return withDebtChanges({ ...transaction, operations: [...operations, ...paid] }, debts);
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
  { requests, items, locations, most, fees }: PostTransactions,
  facts: Facts,
  stamp: Stamp,
): TransactionEvent[] {
  const running: RunningBalances = new Map();
  const exceptions = new Map(ledger.exceptions);
  const debts = new RunningDebts(ledger.debts, stamp.instant);
  const before = { ...ledger, exceptions };
  const events = requests.map((request, n) => {
    try {
      const asked = { request, locations, fees };
      const event = postTransaction(before, asked, facts, stamp, running, debts);
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
