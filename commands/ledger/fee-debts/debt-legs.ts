import type { Amount } from '#src/kernel/amount.ts';
import type { DebtBalance, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import type { AccountingEntry } from '#src/events/ledger/route-rules.ts';
import type { Side } from '#src/events/shared.ts';
import { find, type Account, type Balance } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { claimOn } from '#commands/ledger/state/reservations.ts';
import type { Leg } from '#commands/ledger/transaction/legs.ts';

/** A side of a debt with its balance as it is now. */
export type DebtParty = Readonly<{ account: Account; balance: Balance; stored: DebtBalance }>;

/** Returns undefined if the account or its balance was deleted. */
export function partyOf({ book }: Ledger, stored: DebtBalance): DebtParty | undefined {
  const account = book.accountById(stored.accountId);
  const balance = find(account, stored.key);
  return account && balance && { account, balance, stored };
}

/** A leg that pays a debt or pays it back, under the accounting route that is stored with the debt. */
export function debtLeg(
  ledger: Ledger,
  direction: Side,
  { account, balance, stored }: DebtParty,
  { id }: Pick<FeeDebtRecord, 'id'>,
  amount: Amount,
): Leg {
  const { route, routeId, routeCode: code, routeDescription: description } = stored;
  const rubric = {
    ...(code !== undefined && { code }),
    ...(description !== undefined && { description }),
  };
  const isRouted = code !== undefined || description !== undefined;
  return {
    ...{ direction, amount, account, balance, origin: 'settlement' as const },
    claimed: claimOn(ledger.parts, account, balance),
    details: { route, routeId, metadata: { feeDebtId: id } },
    ...(isRouted && { routed: { entry: { debit: rubric, credit: rubric }, overdraft: NO_ENTRY } }),
  };
}

const NO_ENTRY: AccountingEntry = { debit: null, credit: null };
