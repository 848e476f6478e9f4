import { add, formatAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { BalanceState } from '#src/events/ledger/account.ts';
import { isInternal, stateOf, type Balance } from '#commands/ledger/state/book.ts';
import type { BalanceEffect } from './effects.ts';
import { nameOf, refusedLeg, type Leg } from './legs.ts';

/** The balances after the operations that a decision has booked so far. */
export type RunningBalances = Map<Balance, RunningBalance>;
export type RunningBalance = Readonly<{
  available: Amount;
  onHold: Amount;
  overdraftUsed: Amount;
  state: BalanceState;
}>;

export const runningBalanceOf = (running: RunningBalances, balance: Balance): RunningBalance =>
  running.get(balance) ?? {
    available: balance.available,
    onHold: balance.onHold,
    overdraftUsed: balance.overdraftUsed,
    state: stateOf(balance),
  };

/**
 * Applies one operation to a balance. Only an external account may fall below zero. A debit-normal balance keeps what
 * it has on hold available: if a credit took it, it would be paid twice when the hold is released (contract ledger
 * §7.4). Errors: INSUFFICIENT_FUNDS, NUMBER_OUT_OF_RANGE.
 */
export function apply(
  leg: Leg,
  balance: Balance,
  effect: BalanceEffect,
  amount: Amount,
  { available, onHold, overdraftUsed, state }: RunningBalance,
): RunningBalance {
  const mirrored = balance.direction === 'debit';
  const funds =
    effect.available === 'stays' || !mirrored ? effect.available : MIRROR[effect.available];
  const after = shifted(available, funds, amount);
  const held = shifted(onHold, effect.onHold, amount);
  const isPromised = effect.returns === true || leg.decided === true;
  const isChecked = funds === 'falls' && !isPromised && !leg.account.external;
  if (isChecked && after < leastOf(leg, balance, onHold)) throw insufficientFunds(leg);
  if (held < ZERO) throw new Error(`${nameOf(leg)} holds less than was held`);
  if (leg.decided !== true && !(withinRange(after) && withinRange(held))) {
    throw refusedLeg('NUMBER_OUT_OF_RANGE', leg, 'would exceed 30 digits');
  }
  return {
    available: after,
    onHold: held,
    overdraftUsed,
    state: {
      available: funds === 'stays' ? state.available : formatAmount(after),
      onHold: effect.onHold === 'stays' ? state.onHold : formatAmount(held),
      version: state.version + 1,
      overdraftUsed: state.overdraftUsed,
    },
  };
}

/** A companion balance may show less debt than it has on hold, because a deposit repays debt that a hold has drawn. */
function leastOf({ claimed = ZERO }: Leg, balance: Balance, onHold: Amount): Amount {
  const keepsHold = balance.direction === 'debit' && !isInternal(balance);
  return keepsHold ? add(claimed, onHold) : claimed;
}

export const withOverdraft = (balance: RunningBalance, overdraftUsed: Amount): RunningBalance => ({
  ...balance,
  overdraftUsed,
  state: { ...balance.state, overdraftUsed: formatAmount(overdraftUsed) },
});

function shifted(from: Amount, how: BalanceEffect['available'], amount: Amount): Amount {
  if (how === 'stays') return from;
  return how === 'rises' ? add(from, amount) : subtract(from, amount);
}

const MIRROR = { falls: 'rises', rises: 'falls' } as const;

/** Clients search for the words "insufficient" and "funds". A debit-normal balance is lowered by credits. */
function insufficientFunds(leg: Leg): Refusal {
  const side = leg.direction === 'debit' ? 'Source' : 'Destination';
  const requested = `${formatAmount(leg.amount)} ${leg.account.assetCode}`;
  const detail = `${side} account ${nameOf(leg)} has insufficient funds for ${requested}.`;
  return refuse('INSUFFICIENT_FUNDS', detail);
}
