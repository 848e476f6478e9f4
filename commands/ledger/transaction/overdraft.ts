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

/** One operation of a leg that overdraft takes a part in, and what its companion takes over of it. */
export type LegMovement = Readonly<{
  effect: BalanceEffect;
  amount: Amount;
  /** What the balance owes from then on. */
  overdraftUsed: Amount;
  owed?: Readonly<{ effect: BalanceEffect; amount: Amount }>;
}>;

/**
 * How a leg is booked that exceeds what is available, or repays (contract ledger §7.5); undefined for one that does
 * neither. `effect` is what the leg would do without it. Errors: NO_OVERDRAFT_ENTRY, OVERDRAFT_LIMIT.
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

/** All that is available, and what is lacking from the overdraft. A hold holds both. */
function drawn(
  leg: Leg,
  effect: BalanceEffect,
  before: RunningBalance,
): readonly LegMovement[] | undefined {
  const { available, overdraftUsed } = before;
  const { overdraft } = leg.balance;
  const lacking = subtract(leg.amount, available);
  if (overdraft === undefined || lacking <= ZERO) return undefined; // Without one, funds are insufficient.
  if (leg.routed !== undefined && leg.routed.overdraft === undefined) throw noEntry(leg);
  checkLimit(leg, overdraft.limit, lacking, overdraftUsed);
  const owed = { effect: effect.onHold === 'rises' ? effect : DRAWN, amount: lacking };
  return [{ effect, amount: available, overdraftUsed: add(overdraftUsed, lacking), owed }];
}

/** What arrives repays first, and only what is left of it becomes available. */
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
 * Undoes the split of a hold. What was drawn for it may have been repaid meanwhile: so much is available then, since
 * it was the account's own money that repaid it.
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

/** Opened when overdraft was first allowed to one of the account's balances. */
export function companionOf(account: Account): Balance {
  const companion = find(account, OVERDRAFT_KEY);
  if (companion === undefined) throw new Error(`${account.alias} owes on no balance`);
  return companion;
}

/** Operations without those of companions, each with what the one of its companion took over. */
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
