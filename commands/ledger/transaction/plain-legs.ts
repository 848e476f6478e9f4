import { add, readAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Side } from '#src/events/shared.ts';
import {
  DEFAULT_KEY,
  find,
  isInternal,
  type Account,
  type Balance,
  type Book,
} from '#commands/ledger/state/book.ts';
import type { RequestedLeg, TransactionRequest } from './commands.ts';
import type { RunningBalances } from './running-balance.ts';

/** A leg that no rule refuses or changes. */
export type PlainLeg = Readonly<{
  direction: Side;
  account: Account;
  balance: Balance;
  amount: Amount;
  /** The amount that is available after the leg. */
  available: Amount;
}>;

export type PlainLegs = Readonly<{ value: Amount; legs: readonly PlainLeg[] }>;

/**
 * Finds the legs of a request, sources first. Returns undefined if a leg states anything but an amount, if an account
 * appears twice, if the totals differ, or if a balance is not one that the amount is simply taken from or added to.
 */
export function plainLegsOf(
  book: Book,
  { asset, value: text = '0', source: { from }, distribute: { to } }: TransactionRequest['send'],
  running: RunningBalances | undefined,
): PlainLegs | undefined {
  const value = readAmount(text);
  if (typeof value === 'string' || value <= ZERO) return undefined;
  const legs: PlainLeg[] = [];

  /** Adds one side; returns false if a leg is not plain or their total is not the value. */
  const addSide = (direction: Side, requested: readonly RequestedLeg[]): boolean => {
    let left = value;
    for (const leg of requested) {
      const amount = amountOf(leg, asset, text, value);
      const account = book.account(leg.accountAlias);
      if (amount === undefined || account === undefined) return false;
      for (const other of legs) if (other.account === account) return false;
      const balance = find(account, leg.balanceKey?.toLowerCase() ?? DEFAULT_KEY);
      if (balance === undefined || !mayMove(account, balance, direction, asset)) return false;
      const { available, overdraftUsed } = running?.get(balance) ?? balance;
      const after = direction === 'debit' ? subtract(available, amount) : add(available, amount);
      if (overdraftUsed !== ZERO || after < ZERO || !withinRange(after)) return false;
      legs.push({ direction, account, balance, amount, available: after });
      left = subtract(left, amount);
    }
    return left === ZERO;
  };

  if (from.length + to.length > LEGS_MAX) return undefined;
  return addSide('debit', from) && addSide('credit', to) ? { value, legs } : undefined;
}

/** The amount of a leg that states nothing else; `text` and `value` are those of the request, which it often repeats. */
function amountOf(
  leg: RequestedLeg,
  asset: string,
  text: string,
  value: Amount,
): Amount | undefined {
  for (const name in leg) {
    if (name !== 'accountAlias' && name !== 'amount' && name !== 'balanceKey') return undefined;
  }
  const { amount } = leg;
  if (amount?.asset !== asset) return undefined;
  const own = amount.value === text ? value : readAmount(amount.value);
  return typeof own === 'string' || own <= ZERO ? undefined : own;
}

/** Funds may move freely on open accounts; external accounts and debit-normal balances have rules of their own. */
const mayMove = (account: Account, balance: Balance, direction: Side, asset: string): boolean =>
  account.assetCode === asset &&
  !account.closed &&
  !account.blocked &&
  !account.external &&
  !isInternal(balance) &&
  balance.direction === 'credit' &&
  (direction === 'debit' ? balance.allowSending : balance.allowReceiving);

/** Every leg is compared with those before it. */
const LEGS_MAX = 8;
