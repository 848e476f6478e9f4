import { add, formatAmount, negate, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { isInternal, sameState, type Books, type BookedBalance } from './books.ts';
import {
  checkDebt,
  checkShown,
  companionEffect,
  debtOf,
  debtShown,
  type ExpectedDebt,
  type EffectSigns,
} from './debt.ts';
import { isOfDebts } from './fee-debts.ts';
import { amountOf, named, noPart, type StepKind } from './operation.ts';
import type { AuditedOperation, AuditedTransaction } from './shapes.ts';

/** The amounts that a step puts on hold, by balance; negative if it releases them. */
export type Holds = ReadonlyMap<string, Amount>;

/**
 * Applies the operations of one step to the books. Each must start from the known state of its balance and end where
 * its type, direction and amount lead (contract ledger §7.4); together they must neither create nor destroy money
 * (§7.2). None may move a closed or blocked account, except to release a hold (§7.4), to debit the account `passing`
 * under a block exception, or to post a part of a group (§5.4). `unheld` is the part of the amount that is not held.
 */
export function applyStep(
  books: Books,
  transaction: AuditedTransaction,
  operations: readonly AuditedOperation[],
  kind: StepKind,
  { passing, unheld = ZERO }: StepOptions = {},
): Holds {
  const totals = { debit: ZERO, credit: ZERO };
  const ofDebts = { debit: ZERO, credit: ZERO };
  const holds = new Map<string, Amount>();
  let position = ZERO;
  let last: AuditedOperation | undefined;
  for (const [n, operation] of operations.entries()) {
    const { direction, balanceId } = operation;
    const balance = books.of(operation, transaction.assetCode);
    const passes = direction === 'debit' && balance.accountId === passing;
    const isDecided = transaction.groupId !== undefined && kind !== 'held';
    if (kind !== 'canceled') checkStopped(balance, passes || isDecided);
    const amount = amountOf(operation);
    const next = operations[n + 1];
    const companion = next !== undefined && isInternal(next.balanceKey) ? next : undefined;
    const effect = balance.internal
      ? companionEffect(operation, kind)
      : effectOf(operation, kind, balance);
    const debt = balance.internal
      ? debtShown(operation, last)
      : debtOf(balance, operation, companion, kind);
    const { available, onHold } = move(balance, operation, effect, debt);
    if (balance.internal) checkShown(books, balance);
    else checkDebt(balance, operation, effect, companion, kind);
    const own = balance.direction === 'credit' ? available : negate(available);
    position = add(position, add(own, onHold));
    // A companion balance takes over a part of the operation before it.
    const sums = isOfDebts(balance.internal ? (last ?? operation) : operation) ? ofDebts : totals;
    sums[direction] = add(sums[direction], amount);
    if (onHold !== ZERO) holds.set(balanceId, add(holds.get(balanceId) ?? ZERO, onHold));
    last = balance.internal ? undefined : operation;
  }
  if (position !== ZERO) differ(`its operations add up to ${formatAmount(position)}, not to 0`);
  if (ofDebts.debit !== ofDebts.credit) differ('its operations on debts are not balanced');
  const isCollection = operations[0]?.type === 'FEE_SETTLEMENT' && totals.debit === ZERO;
  if (isCollection) totals.debit = totals.credit = ofDebts.debit;
  const whole = parseAmount(transaction.amount);
  checkTotals(totals, isHold(kind) ? add(whole, negate(unheld)) : whole, kind);
  return holds;
}

const isHold = (kind: StepKind): boolean => kind === 'held' || kind === 'canceled';

type StepOptions = Readonly<{ passing?: string | undefined; unheld?: Amount }>;

function checkStopped({ stopped, alias, key }: BookedBalance, passes: boolean): void {
  if (stopped === 'closed' || (stopped === 'blocked' && !passes)) {
    differ(`${alias}#${key} moves and is ${stopped}`);
  }
}

/** The directions that must add up to the transaction's amount; a hold has no credits yet. */
const SIDES: Readonly<Record<StepKind, readonly ('debit' | 'credit')[]>> = {
  posted: ['debit', 'credit'],
  held: ['debit'],
  committed: ['debit', 'credit'],
  canceled: ['credit'],
};

export function checkTotals(
  totals: Readonly<Record<'debit' | 'credit', Amount>>,
  amount: Amount,
  kind: StepKind,
): void {
  for (const side of SIDES[kind]) {
    if (totals[side] !== amount) {
      differ(
        `its ${side}s add up to ${formatAmount(totals[side])}, its amount is ${formatAmount(amount)}`,
      );
    }
  }
}

/** Payments of fee debts, and their return. */
const OF_DEBTS = {
  'FEE_SETTLEMENT debit': [-1, 0],
  'FEE_SETTLEMENT credit': [1, 0],
  'FEE_REFUND debit': [-1, 0],
  'FEE_REFUND credit': [1, 0],
} as const;

/** The change of available and onHold of a credit balance, by step, type and direction. */
const EFFECTS: Readonly<Record<StepKind, Readonly<Record<string, readonly [number, number]>>>> = {
  posted: {
    'DEBIT debit': [-1, 0],
    'CREDIT credit': [1, 0],
    'BLOCK debit': [-1, 0],
    'BLOCK credit': [1, 0],
    'UNBLOCK debit': [-1, 0],
    'UNBLOCK credit': [1, 0],
    ...OF_DEBTS,
  },
  held: { 'ON_HOLD debit': [-1, 1], 'DEBIT debit': [-1, 0], 'ON_HOLD credit': [0, 1] },
  committed: {
    'DEBIT debit': [0, -1],
    'ON_HOLD debit': [0, -1],
    'CREDIT credit': [1, 0],
    ...OF_DEBTS,
  },
  canceled: { 'RELEASE credit': [1, -1], 'RELEASE debit': [0, -1], 'CREDIT credit': [1, 0] },
};

/** Nothing is held on an external account: a part of a group debits it when it is committed. */
const effectOf = (
  operation: AuditedOperation,
  kind: StepKind,
  { external }: BookedBalance,
): EffectSigns =>
  EFFECTS[kind === 'committed' && external ? 'posted' : kind][named(operation)] ??
  noPart(operation);

/** Checks and applies one operation; returns the change of available and onHold. */
function move(
  balance: BookedBalance,
  operation: AuditedOperation,
  effect: EffectSigns,
  debt: ExpectedDebt,
): Readonly<{ available: Amount; onHold: Amount }> {
  const { balance: before, balanceAfter: after } = operation;
  const name = `${balance.alias}#${balance.key}`;
  const known = { ...balance.state, overdraftUsed: debt.before };
  if (!sameState(before, known)) {
    differ(`${name} was at ${stateText(known)}, the operation starts from ${stateText(before)}`);
  }
  const amount = amountOf(operation);
  const mirror = balance.direction === 'credit' ? 1 : -1; // Debits raise a debit-normal balance.
  const available = times(amount, effect[0] * mirror);
  const onHold = times(amount, effect[1]);
  balance.available = add(balance.available, available);
  balance.onHold = add(balance.onHold, onHold);
  const due = {
    available: formatAmount(balance.available),
    onHold: formatAmount(balance.onHold),
    version: before.version + 1,
    overdraftUsed: debt.after,
  };
  if (!sameState(after, due)) {
    differ(`${name} must come to ${stateText(due)}, the operation ends at ${stateText(after)}`);
  }
  if (!balance.external) checkFunds(balance, operation, available < ZERO);
  balance.state = due;
  return { available, onHold };
}

/**
 * Neither field falls below zero, and a credit leaves a debit-normal balance at least what it has on hold (§7.4).
 * Companion balances are exempt from the latter, because a deposit may repay held debt before the hold ends.
 */
function checkFunds(
  balance: BookedBalance,
  { type, direction }: AuditedOperation,
  isTaken: boolean,
): void {
  const { alias, key, available, onHold, internal } = balance;
  const isBelow = isTaken && available < ZERO;
  if (isBelow || onHold < ZERO) differ(`${alias}#${key} falls below zero`);
  if (balance.direction === 'credit' || internal || !isTaken) return;
  if (direction === 'credit' && type !== 'RELEASE' && available < onHold) {
    differ(`${alias}#${key} is credited what is on hold: ${stateText(balance.state)} before`);
  }
}

const times = (amount: Amount, sign: number): Amount =>
  sign === 0 ? ZERO : sign < 0 ? negate(amount) : amount;

const stateText = ({
  available,
  onHold,
  version,
  overdraftUsed,
}: AuditedOperation['balance']): string =>
  `${available}/${onHold} v${version}${overdraftUsed === '0' ? '' : ` owing ${overdraftUsed}`}`;
