import { add, parseAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import { isInternal, type Account, type Balance } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { claimOn } from '#commands/ledger/state/reservations.ts';
import { bookLegs } from '#commands/ledger/transaction/booking.ts';
import {
  runningBalanceOf,
  type RunningBalances,
} from '#commands/ledger/transaction/running-balance.ts';
import { debtLeg, partyOf, type DebtParty } from './debt-legs.ts';
import type { RunningDebts } from './running-debts.ts';

/** A transaction to which operations on debts are added. */
export type DebtBooking = Readonly<{
  ledger: Ledger;
  id: Uuid;
  running: RunningBalances;
  debts: RunningDebts;
  /** The number of operations that the transaction has already. */
  earlier: number;
}>;

type Payer = Readonly<{ account: Account; balance: Balance }>;

/**
 * Pays the open debts of the balances that these operations credited, each from what its credits made available. `recorded`
 * is the transaction so far: no more is paid than fits one append with it; the rest stays owed. Refuses nothing.
 */
export function settleFromCredits(
  booking: Omit<DebtBooking, 'earlier'>,
  credits: readonly OperationRecord[],
  recorded: Readonly<{ operations: readonly OperationRecord[] }>,
): OperationRecord[] {
  const { ledger, debts } = booking;
  if (debts.isEmpty) return [];
  const booked: OperationRecord[] = [];
  let room: number | undefined;
  for (const [payer, received] of receivedBy(ledger, credits)) {
    if (debts.of(payer.account.id, payer.balance.key).length === 0) continue;
    room ??= roomBeside(recorded);
    const earlier = recorded.operations.length + booked.length;
    const paid = payDebts({ ...booking, earlier }, payer, received, room);
    room -= paid.count;
    booked.push(...paid.operations);
  }
  return booked;
}

/**
 * Pays the debts of a balance, oldest first, up to `most` and to what is available. It pays none if the debtor is blocked
 * or may not send, and stops at a fee account that cannot receive the payment.
 */
export function payDebts(
  booking: DebtBooking,
  { account, balance }: Payer,
  most: Amount,
  room: number = DEBTS_MAX,
): Readonly<{ operations: readonly OperationRecord[]; paid: Amount; count: number }> {
  const { ledger, id, running, debts, earlier } = booking;
  const operations: OperationRecord[] = [];
  let paid = ZERO;
  let count = 0;
  const maySend = !account.blocked && !account.closed && balance.allowSending;
  for (const debt of maySend ? debts.of(account.id, balance.key) : []) {
    const { available } = runningBalanceOf(running, balance);
    const left = smallest(subtract(most, paid), available, parseAmount(debt.remaining));
    const creditor = partyOf(ledger, debt.creditor);
    if (left <= ZERO || count === room || creditor === undefined) break;
    if (!canReceive(booking, creditor, left)) break;
    const legs = [
      debtLeg(ledger, 'debit', { account, balance, stored: debt.debtor }, debt, left),
      debtLeg(ledger, 'credit', creditor, debt, left),
    ];
    operations.push(...bookLegs('fee settlement', id, legs, running, earlier + operations.length));
    debts.change('settled', debt, left);
    paid = add(paid, left);
    count += 1;
  }
  return { operations, paid, count };
}

/** A debit-normal balance is lowered by a credit, so it must have that much. */
function canReceive(
  { ledger, running }: DebtBooking,
  { account, balance }: DebtParty,
  amount: Amount,
): boolean {
  if (account.blocked || account.closed || !balance.allowReceiving) return false;
  const { available, onHold } = runningBalanceOf(running, balance);
  if (balance.direction === 'credit') return withinRange(add(available, amount));
  const claimed = claimOn(ledger.parts, account, balance) ?? ZERO;
  return account.external || subtract(available, amount) >= add(claimed, onHold);
}

/** Sums up what became available on each balance; the part of a credit that repaid an overdraft did not. */
function receivedBy(
  { book }: Ledger,
  operations: readonly OperationRecord[],
): ReadonlyMap<Payer, Amount> {
  const payers = new Map<Uuid, Payer>();
  const received = new Map<Payer, Amount>();
  for (const { direction, balanceId, balanceKey, amount } of operations) {
    if (direction !== 'credit' || isInternal({ key: balanceKey })) continue;
    const payer = payers.get(balanceId) ?? book.balanceById(balanceId);
    if (payer === undefined || payer.balance.direction === 'debit') continue;
    payers.set(balanceId, payer);
    received.set(payer, add(received.get(payer) ?? ZERO, parseAmount(amount)));
  }
  return received;
}

/** The number of debts whose payment fits one append beside what is recorded. */
function roomBeside(recorded: object): number {
  const left = APPEND_BYTES_MAX - Buffer.byteLength(JSON.stringify(recorded));
  return Math.max(0, Math.min(DEBTS_MAX, Math.floor(left / SETTLEMENT_BYTES)));
}

const smallest = (first: Amount, ...others: readonly Amount[]): Amount =>
  others.reduce((least, one) => (one < least ? one : least), first);

/** The most debts that one transaction pays. */
export const DEBTS_MAX = 50;

/** Three operations, of which one repays an overdraft, and the debt. */
const SETTLEMENT_BYTES = 6_000;
