import { add, subtract, ZERO } from '#src/kernel/amount.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import type { Leg } from './legs.ts';
import { splitByOverdraft, type LegMovement } from './overdraft.ts';
import type { BalanceEffect, RunningBalance } from './running-balance.ts';

/**
 * Books a hold as two operations, one for each field of the balance: the form it has where routes are validated
 * (contract ledger §7.4, second table). The part that the overdraft takes over is held in one operation.
 */
export function twoStepHold(leg: Leg, before: RunningBalance): readonly LegMovement[] {
  const whole = { amount: leg.amount, overdraftUsed: before.overdraftUsed };
  const [{ amount, overdraftUsed, owed } = whole as Omit<LegMovement, 'effect'>] =
    splitByOverdraft(leg, HELD, before) ?? [];
  const taken: LegMovement = { effect: TAKEN, amount, overdraftUsed, ...(owed && { owed }) };
  return amount === ZERO ? [taken] : [taken, { effect: PUT_ON_HOLD, amount, overdraftUsed }];
}

/** Cancels such a hold. The overdraft drawn for it may have been repaid since; that amount becomes available. */
export function twoStepCancel(leg: Leg, before: RunningBalance): readonly LegMovement[] {
  const { amount, owed = ZERO } = leg;
  const { overdraftUsed: used } = before;
  const still = owed < used ? owed : used;
  const freed: LegMovement = { effect: OFF_HOLD, amount, overdraftUsed: used };
  const given: LegMovement = {
    effect: GIVEN_BACK,
    amount: add(amount, subtract(owed, still)),
    overdraftUsed: subtract(used, still),
  };
  return [
    owed === ZERO ? freed : { ...freed, owed: { effect: OFF_HOLD, amount: owed } },
    still === ZERO ? given : { ...given, owed: { effect: GIVEN_BACK, amount: still } },
  ];
}

/** Returns true if a hold was booked in two steps. Its end is booked the same way, whatever the settings are by then. */
export const isTwoStepHold = (operations: readonly OperationRecord[]): boolean =>
  operations.some(isTwoStepDebit);

/** Recognizes the operation of such a hold that has the amount given by the source. */
export const isTwoStepDebit = ({ type }: OperationRecord): boolean => type === 'DEBIT';

const HELD: BalanceEffect = {
  type: 'ON_HOLD',
  direction: 'debit',
  available: 'falls',
  onHold: 'rises',
};
const TAKEN: BalanceEffect = {
  type: 'DEBIT',
  direction: 'debit',
  available: 'falls',
  onHold: 'stays',
};
const PUT_ON_HOLD: BalanceEffect = {
  type: 'ON_HOLD',
  direction: 'credit',
  available: 'stays',
  onHold: 'rises',
};
const OFF_HOLD: BalanceEffect = {
  type: 'RELEASE',
  direction: 'debit',
  available: 'stays',
  onHold: 'falls',
};
const GIVEN_BACK: BalanceEffect = {
  type: 'CREDIT',
  direction: 'credit',
  available: 'rises',
  onHold: 'stays',
  returns: true,
};
