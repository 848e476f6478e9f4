import { add, subtract, ZERO } from '#src/kernel/amount.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import { GIVEN_BACK, PUT_ON_HOLD, TAKEN, type BalanceEffect } from './effects.ts';
import type { Leg } from './legs.ts';
import { splitByOverdraft, type LegMovement } from './overdraft.ts';
import type { RunningBalance } from './running-balance.ts';

/**
 * Books a hold as two operations, one for each field of the balance, as ledgers that validate routes do (contract
 * ledger §7.4, second table). The amount drawn from an overdraft is held in one operation.
 */
export function twoStepHold(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] {
  const whole: LegMovement = { effect, amount: leg.amount, overdraftUsed: before.overdraftUsed };
  const [held = whole] = splitByOverdraft(leg, effect, before) ?? [];
  const { amount, overdraftUsed } = held;
  const taken = { ...held, effect: TAKEN };
  return amount === ZERO ? [taken] : [taken, { effect: PUT_ON_HOLD, amount, overdraftUsed }];
}

/** Cancels such a hold. The overdraft drawn for it may have been repaid since; that amount becomes available. */
export function twoStepCancel(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] {
  const { amount, owed = ZERO } = leg;
  const { overdraftUsed: used } = before;
  const still = owed < used ? owed : used;
  const freed: LegMovement = { effect, amount, overdraftUsed: used };
  const given: LegMovement = {
    effect: GIVEN_BACK,
    amount: add(amount, subtract(owed, still)),
    overdraftUsed: subtract(used, still),
  };
  return [
    owed === ZERO ? freed : { ...freed, owed: { effect, amount: owed } },
    still === ZERO ? given : { ...given, owed: { effect: GIVEN_BACK, amount: still } },
  ];
}

/** Returns true if a hold was booked in two steps. Its end is booked the same way, whatever the settings are by then. */
export const isTwoStepHold = (operations: readonly OperationRecord[]): boolean =>
  operations.some(isTwoStepDebit);

/** Recognizes the operation of such a hold that has the amount given by the source. */
export const isTwoStepDebit = ({ type }: OperationRecord): boolean => type === 'DEBIT';
