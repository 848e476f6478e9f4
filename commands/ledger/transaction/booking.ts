import { formatAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import type { Rubric } from '#src/events/ledger/route-rules.ts';
import type { BalanceState } from '#src/events/ledger/account.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import { EFFECTS, type BalanceEffect, type BookingStep } from './effects.ts';
import { twoStepCancel, twoStepHold } from './two-step-hold.ts';
import type { Leg, LegDetails } from './legs.ts';
import { companionDetails } from './routing.ts';
import { companionOf, splitByOverdraft, type LegMovement } from './overdraft.ts';
import { apply, withOverdraft, runningBalanceOf, type RunningBalances } from './running-balance.ts';

/**
 * Books the legs of a step, in the order of alias and balance key; legs on one balance in request order, each starting
 * from the state that the one before leaves. An operation of the overdraft balance follows the leg that draws on it or
 * repays it. Legs without an amount book nothing. `earlier` is the number of operations that the transaction has
 * already. Errors: INSUFFICIENT_FUNDS, OVERDRAFT_LIMIT, NO_OVERDRAFT_ENTRY, NUMBER_OUT_OF_RANGE.
 */
export function bookLegs(
  step: BookingStep,
  id: Uuid,
  legs: readonly Leg[],
  running: RunningBalances,
  earlier = 0,
): OperationRecord[] {
  const booked: OperationRecord[] = [];
  const next: NextOperationId = (n = 1) => partId(id, earlier + booked.length + n);
  for (const leg of inOrder(legs)) {
    const before = runningBalanceOf(running, leg.balance);
    const effect = effectOf(step, leg);
    const movements =
      step === 'two-step hold'
        ? twoStepHold(leg, effect, before)
        : step === 'two-step cancel'
          ? twoStepCancel(leg, effect, before)
          : splitByOverdraft(leg, effect, before);
    if (movements === undefined) {
      const after = apply(leg, leg.balance, effect, leg.amount, before);
      running.set(leg.balance, after);
      booked.push(operation(next(), leg, effect, before.state, after.state));
      continue;
    }
    for (const movement of movements) booked.push(...bookMovement(next, leg, movement, running));
  }
  return booked;
}

/** Returns the id of the next operation, or of the n-th from now. */
type NextOperationId = (n?: number) => Uuid;

/** Books a movement, and its counterpart on the overdraft balance, which repeats the debt of the balance. */
function bookMovement(
  next: NextOperationId,
  leg: Leg,
  { effect, amount, overdraftUsed, owed }: LegMovement,
  running: RunningBalances,
): OperationRecord[] {
  const before = runningBalanceOf(running, leg.balance);
  const after = withOverdraft(apply(leg, leg.balance, effect, amount, before), overdraftUsed);
  running.set(leg.balance, after);
  const changesDebt = after.overdraftUsed !== before.overdraftUsed;
  const limit = changesDebt ? leg.balance.overdraft?.limit : undefined;
  const own = operation(next(), { ...leg, amount }, effect, before.state, after.state, limit);
  if (owed === undefined) return [own];

  const balance = companionOf(leg.account);
  const was = runningBalanceOf(running, balance);
  const is = apply(leg, balance, owed.effect, owed.amount, was);
  running.set(balance, is);
  const debt = { ...leg, balance, amount: owed.amount, ...companionDetails(leg) };
  const shown = operation(
    next(2),
    debt,
    owed.effect,
    { ...was.state, overdraftUsed: before.state.overdraftUsed },
    { ...is.state, overdraftUsed: after.state.overdraftUsed },
  );
  return [own, { ...shown, origin: 'overdraft' }];
}

/** The operations of an annotation, which change no balance. */
export function annotateLegs(id: Uuid, legs: readonly Leg[]): OperationRecord[] {
  return inOrder(legs).map((leg, n) => ({
    ...operation(partId(id, n + 1), leg, effectOf('post', leg), NOTHING, NOTHING),
    balanceAffected: false,
  }));
}

const inOrder = (legs: readonly Leg[]): Leg[] =>
  legs.filter(({ amount, owed = ZERO }) => amount !== ZERO || owed !== ZERO).sort(byAliasAndKey);

function operation(
  id: Uuid,
  leg: Leg,
  effect: BalanceEffect,
  before: BalanceState,
  after: BalanceState,
  overdraftLimit?: Amount,
): OperationRecord {
  return {
    ...bookedOperation(id, leg, effect, before, after, leg.origin),
    ...(overdraftLimit !== undefined && { overdraftLimit: formatAmount(overdraftLimit) }),
    ...detailsOf(leg.details, leg.routed?.entry[effect.direction]),
  };
}

/** The members that every operation has. */
export function bookedOperation(
  id: Uuid,
  { amount, account, balance }: Pick<Leg, 'amount' | 'account' | 'balance'>,
  { type, direction }: BalanceEffect,
  before: BalanceState,
  after: BalanceState,
  origin: Leg['origin'] = 'request',
): OperationRecord {
  return {
    id,
    type,
    direction,
    origin,
    amount: amountText(amount),
    accountId: account.id,
    accountAlias: account.alias,
    balanceId: partId(account.id, balance.ordinal),
    balanceKey: balance.key,
    balance: before,
    balanceAfter: after,
  };
}

function effectOf(step: BookingStep, { direction, account }: Leg): BalanceEffect {
  // Nothing is held on an external account: a part of a group debits it when it is posted.
  const isCommit = step === 'commit' || step === 'two-step commit';
  const effect = EFFECTS[isCommit && account.external ? 'post' : step][direction];
  if (effect === undefined) throw new Error(`A ${step} books no ${direction}`);
  return effect;
}

/** Orders by bytes instead of a locale: aliases are ASCII, but keys may contain any character. */
function byAliasAndKey(a: Leg, b: Leg): number {
  if (a.account !== b.account) return a.account.alias < b.account.alias ? -1 : 1;
  if (a.balance === b.balance) return 0; // Sorting is stable, so request order stays.
  return Buffer.compare(Buffer.from(a.balance.key), Buffer.from(b.balance.key));
}

/** Caches the last amounts, because a transaction with fees repeats three of them. */
export function amountText(amount: Amount): string {
  const known = lastAmounts.indexOf(amount);
  if (known >= 0) return lastTexts[known]!;
  const text = formatAmount(amount);
  oldest = (oldest + 1) % lastAmounts.length;
  lastAmounts[oldest] = amount;
  lastTexts[oldest] = text;
  return text;
}
const lastAmounts = [ZERO, ZERO, ZERO, ZERO];
const lastTexts = ['0', '0', '0', '0'];
let oldest = 0;

/** The members that are defined, in the order in which operations are stored. */
export function detailsOf(details: Leg['details'], rubric?: Rubric | null): OperationDetails {
  const { description, chartOfAccounts, route, routeId, rate, metadata } = details;
  const found: { -readonly [Name in keyof OperationDetails]: OperationDetails[Name] } = {};
  if (description !== undefined) found.description = description;
  if (chartOfAccounts !== undefined) found.chartOfAccounts = chartOfAccounts;
  if (route !== undefined) found.route = route;
  if (routeId !== undefined) found.routeId = routeId;
  if (rubric?.code !== undefined) found.routeCode = rubric.code;
  if (rubric?.description !== undefined) found.routeDescription = rubric.description;
  if (rate !== undefined) found.rate = rate;
  if (metadata !== undefined) found.metadata = metadata;
  return found;
}

type OperationDetails = Partial<
  Pick<OperationRecord, Exclude<keyof LegDetails, 'implied'> | 'routeCode' | 'routeDescription'>
>;

const NOTHING: BalanceState = { available: '0', onHold: '0', version: 0, overdraftUsed: '0' };
