import { add, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Rubric } from '#src/events/ledger/route-rules.ts';
import type { DebtBalance } from '#src/events/ledger/fee-debt.ts';
import type { Balance } from '#commands/ledger/state/book.ts';
import type { Leg } from '#commands/ledger/transaction/legs.ts';
import {
  runningBalanceOf,
  type RunningBalances,
} from '#commands/ledger/transaction/running-balance.ts';
import type { RunningDebts } from './running-debts.ts';

/** The legs that are booked, and the part of their fees that is owed. */
type LegsWithDebts = Readonly<{ legs: readonly Leg[]; owed: readonly OwedFee[]; total: Amount }>;
type OwedFee = Readonly<{ ref: string; amount: Amount; debit: Leg; credit: Leg }>;

/**
 * Reduces deferrable fees to what is available to their payers after everything else that they pay; the rest is owed.
 * Debts never draw on an overdraft. An external account or a debit-normal balance lacks no funds. Returns undefined if
 * all fees are paid.
 */
export function deferFees(
  legs: readonly Leg[],
  running: RunningBalances,
): LegsWithDebts | undefined {
  if (!legs.some(({ deferrable }) => deferrable !== undefined)) return undefined;
  const spent = new Map<Balance, Amount>();
  const spend = ({ balance }: Leg, amount: Amount) =>
    spent.set(balance, add(spent.get(balance) ?? ZERO, amount));
  const debits = legs.filter(({ direction }) => direction === 'debit');
  for (const leg of debits) if (leg.deferrable === undefined) spend(leg, leg.amount);

  const paid = new Map<number, Amount>();
  const lacking = new Map<number, Readonly<{ ref: string; amount: Amount; debit: Leg }>>();
  for (const [n, leg] of debits.entries()) {
    const { deferrable: pair, account, balance, amount } = leg;
    if (pair === undefined || account.external || balance.direction === 'debit') continue;
    const { available } = runningBalanceOf(running, balance);
    const left = subtract(available, spent.get(balance) ?? ZERO);
    const now = left <= ZERO ? ZERO : left < amount ? left : amount;
    spend(leg, now);
    if (now === amount) continue;
    paid.set(pair, now);
    lacking.set(pair, { ref: `from:${n}:debit`, amount: subtract(amount, now), debit: leg });
  }
  if (lacking.size === 0) return undefined;

  const owed = legs.flatMap((credit): OwedFee[] => {
    const fee = credit.direction === 'credit' ? lacking.get(credit.deferrable ?? NONE) : undefined;
    return fee === undefined ? [] : [{ ...fee, credit }];
  });
  return {
    legs: legs.flatMap((leg) => {
      const now = paid.get(leg.deferrable ?? NONE);
      if (now === undefined) return [leg];
      return now === ZERO ? [] : [{ ...leg, amount: now }];
    }),
    owed,
    total: owed.reduce((sum, { amount }) => add(sum, amount), ZERO),
  };
}

const NONE = -1;

/** Opens a debt for each fee that is owed, in the order of the fees. */
export function openDebts(
  debts: RunningDebts,
  owed: readonly OwedFee[],
  origin: Readonly<{ id: Uuid; assetCode: string; feePackageId: Uuid | undefined }>,
): void {
  const { id: originTransactionId, assetCode, feePackageId } = origin;
  for (const { ref, amount, debit, credit } of owed) {
    const opened = {
      id: `${originTransactionId}:${ref}`,
      originTransactionId,
      ...(feePackageId !== undefined && { feePackageId }),
      assetCode,
      debtor: debtBalance(debit),
      creditor: debtBalance(credit),
    };
    debts.open(opened, amount);
  }
}

function debtBalance({ account, balance, details, routed, direction }: Leg): DebtBalance {
  const { route, routeId } = details;
  const { code, description }: Rubric = routed?.entry[direction] ?? {};
  return {
    accountId: account.id,
    alias: account.alias,
    key: balance.key,
    ...(route !== undefined && { route }),
    ...(routeId !== undefined && { routeId }),
    ...(code !== undefined && { routeCode: code }),
    ...(description !== undefined && { routeDescription: description }),
  };
}
