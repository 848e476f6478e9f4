import { add, formatAmount, parseAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import {
  find,
  isInternal,
  OVERDRAFT_KEY,
  type Account,
  type Balance,
} from '#commands/ledger/state/book.ts';
import { DRAWN, GIVEN_BACK, NO_LONGER_HELD, REPAID, type BalanceEffect } from './effects.ts';
import { nameOf, type Leg } from './legs.ts';
import type { RunningBalance } from './running-balance.ts';

/** One operation of a leg that draws on an overdraft or repays it, with its counterpart on the companion balance. */
export type LegMovement = Readonly<{
  effect: BalanceEffect;
  amount: Amount;
  /** The debt of the balance after the operation. */
  overdraftUsed: Amount;
  owed?: Readonly<{ effect: BalanceEffect; amount: Amount }>;
}>;

/**
 * Splits a leg that exceeds the available funds or repays debt (contract ledger §7.5); returns undefined for any other.
 * `effect` is the effect of the whole leg without overdraft. Errors: NO_OVERDRAFT_ENTRY, OVERDRAFT_LIMIT.
 */
export function splitByOverdraft(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] | undefined {
  if (leg.owed !== undefined && leg.owed !== ZERO) {
    if (effect.type === 'RELEASE') return released(leg, effect, leg.owed, before);
    const { overdraftUsed } = before;
    return [{ effect, amount: leg.amount, overdraftUsed, owed: { effect, amount: leg.owed } }];
  }
  if (leg.balance.direction === 'debit') return undefined;
  if (effect.available === 'rises' && effect.type !== 'RELEASE') return repaid(leg, effect, before);
  return effect.available === 'falls' ? drawn(leg, effect, before) : undefined;
}

/** Takes all available funds, and the rest from the overdraft. A hold puts both on hold. */
function drawn(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] | undefined {
  const { available, overdraftUsed } = before;
  const { overdraft } = leg.balance;
  const lacking = subtract(leg.amount, available);
  if (overdraft === undefined || lacking <= ZERO) return undefined; // Without an overdraft, booking refuses the leg for insufficient funds.
  if (leg.routed !== undefined && leg.routed.overdraft === undefined) throw noEntry(leg);
  checkLimit(leg, overdraft.limit, lacking, overdraftUsed);
  const owed = { effect: effect.onHold === 'rises' ? effect : DRAWN, amount: lacking };
  return [{ effect, amount: available, overdraftUsed: add(overdraftUsed, lacking), owed }];
}

/** A credit repays the debt first; only the rest becomes available. */
function repaid(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] | undefined {
  const { overdraftUsed } = before;
  if (overdraftUsed === ZERO) return undefined;
  const repays = smaller(leg.amount, overdraftUsed);
  const amount = subtract(leg.amount, repays);
  const owed = { effect: REPAID, amount: repays };
  return [{ effect, amount, overdraftUsed: subtract(overdraftUsed, repays), owed }];
}

/**
 * Undoes the split of a hold. The part of the overdraft that was repaid meanwhile becomes available, because the
 * account's own money repaid it.
 */
function released(
  leg: Leg,
  effect: BalanceEffect,
  owed: Amount,
  before: RunningBalance,
): readonly LegMovement[] {
  const still = smaller(owed, before.overdraftUsed);
  const overdraftUsed = subtract(before.overdraftUsed, still);
  const undone = { effect, amount: leg.amount, overdraftUsed };
  const first = still === ZERO ? undone : { ...undone, owed: { effect, amount: still } };
  const amount = subtract(owed, still);
  if (amount === ZERO) return [first];
  const nothing = leg.amount === ZERO && still === ZERO;
  const freed = { effect: NO_LONGER_HELD, amount };
  const given = { effect: GIVEN_BACK, amount, overdraftUsed, owed: freed };
  return nothing ? [given] : [first, given];
}

function checkLimit(leg: Leg, limit: Amount | undefined, lacking: Amount, used: Amount): void {
  if (limit === undefined || add(used, lacking) <= limit) return;
  const { assetCode } = leg.account;
  const left = formatAmount(subtract(limit, used));
  throw refuse(
    'OVERDRAFT_LIMIT',
    `Source account ${nameOf(leg)} lacks ${formatAmount(lacking)} ${assetCode}, and ${left} are ` +
      `left of its overdraft.`,
  );
}

const noEntry = (leg: Leg): Refusal =>
  refuse(
    'NO_OVERDRAFT_ENTRY',
    `Source account ${nameOf(leg)} would overdraw, and its operation route has no entry for that.`,
  );

/** The balance that shows the account's debt; it was opened when overdraft was first allowed. */
export function companionOf(account: Account): Balance {
  const companion = find(account, OVERDRAFT_KEY);
  if (companion === undefined) throw new Error(`${account.alias} owes on no balance`);
  return companion;
}

/** The operations of clients' balances, each with the amount that its companion balance took over. */
export function withOwed(
  operations: readonly OperationRecord[],
): Readonly<{ operation: OperationRecord; owed: Amount }>[] {
  const found: { operation: OperationRecord; owed: Amount }[] = [];
  for (const operation of operations) {
    const last = found.at(-1);
    if (!isInternal({ key: operation.balanceKey })) found.push({ operation, owed: ZERO });
    else if (last !== undefined) last.owed = add(last.owed, parseAmount(operation.amount));
  }
  return found;
}

const smaller = (a: Amount, b: Amount): Amount => (a < b ? a : b);
