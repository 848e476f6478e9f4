import { add, subtract, ZERO } from '#src/kernel/amount.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import type { Leg } from './legs.ts';
import { splitOf, type Part } from './overdraft.ts';
import type { Effect, Standing } from './running-balance.ts';

/**
 * A hold and its cancellation as operations of their own for each field of the balance, the form they have where
 * routes are validated (contract ledger §7.4, second table). What overdraft takes over is held, and given back, in one.
 */
export function holdApart(leg: Leg, before: Standing): readonly Part[] {
  const whole = { amount: leg.amount, overdraftUsed: before.overdraftUsed };
  const [{ amount, overdraftUsed, owed } = whole as Omit<Part, 'effect'>] =
    splitOf(leg, HELD, before) ?? [];
  const taken: Part = { effect: TAKEN, amount, overdraftUsed, ...(owed && { owed }) };
  return amount === ZERO ? [taken] : [taken, { effect: PUT_ON_HOLD, amount, overdraftUsed }];
}

/** What was drawn for it may have been repaid meanwhile: so much is available then. */
export function cancelApart(leg: Leg, before: Standing): readonly Part[] {
  const { amount, owed = ZERO } = leg;
  const { overdraftUsed: used } = before;
  const still = owed < used ? owed : used;
  const freed: Part = { effect: OFF_HOLD, amount, overdraftUsed: used };
  const given: Part = {
    effect: GIVEN_BACK,
    amount: add(amount, subtract(owed, still)),
    overdraftUsed: subtract(used, still),
  };
  return [
    owed === ZERO ? freed : { ...freed, owed: { effect: OFF_HOLD, amount: owed } },
    still === ZERO ? given : { ...given, owed: { effect: GIVEN_BACK, amount: still } },
  ];
}

/** Whether a hold was booked apart: its end is then, whatever the ledger's settings say by now. */
export const isApart = (operations: readonly OperationRecord[]): boolean =>
  operations.some(isTaken);

/** An operation of such a hold that says what a source gives. */
export const isTaken = ({ type }: OperationRecord): boolean => type === 'DEBIT';

const HELD: Effect = { type: 'ON_HOLD', direction: 'debit', available: 'falls', onHold: 'rises' };
const TAKEN: Effect = { type: 'DEBIT', direction: 'debit', available: 'falls', onHold: 'stays' };
const PUT_ON_HOLD: Effect = {
  type: 'ON_HOLD',
  direction: 'credit',
  available: 'stays',
  onHold: 'rises',
};
const OFF_HOLD: Effect = {
  type: 'RELEASE',
  direction: 'debit',
  available: 'stays',
  onHold: 'falls',
};
const GIVEN_BACK: Effect = {
  type: 'CREDIT',
  direction: 'credit',
  available: 'rises',
  onHold: 'stays',
  returns: true,
};
