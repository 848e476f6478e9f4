import { formatAmount, parseAmount } from '#src/kernel/amount.ts';
import type { Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { find } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { newTransaction, withDebtChanges } from '#commands/ledger/transaction/new-transaction.ts';
import type { RunningBalances } from '#commands/ledger/transaction/running-balance.ts';
import { RunningDebts } from './running-debts.ts';
import { payDebts } from './settle-debts.ts';

export type CollectFeeDebts = Readonly<{
  type: 'CollectFeeDebts';
  organizationId: Uuid;
  accountAlias: string;
  balanceKey: string;
  /** A decimal above zero; without it, all that is available is taken. */
  maxAmount?: string | undefined;
}>;

/**
 * Pays the debts of a balance from what is available on it, oldest first, in a transaction of its own. Decides nothing if
 * there is nothing to pay, nothing available, or either side may not move. Errors: NOT_FOUND.
 */
export function collectFeeDebts(
  ledger: Ledger,
  { accountAlias, balanceKey, maxAmount }: CollectFeeDebts,
  _: Facts,
  stamp: Stamp,
): readonly TransactionEvent[] {
  const account = ledger.book.account(accountAlias);
  const balance = find(account, balanceKey);
  if (account === undefined || balance === undefined) {
    throw refuse('NOT_FOUND', `The ledger has no balance ${accountAlias}#${balanceKey}.`);
  }
  if (!ledger.debts.isOwedBy(account.id)) return [];
  const id = stamp.ids.nextWhole();
  const running: RunningBalances = new Map();
  const debts = new RunningDebts(ledger.debts, stamp.instant);
  const most = maxAmount === undefined ? balance.available : parseAmount(maxAmount);
  const booking = { ledger, id, running, debts, earlier: 0 };
  const { operations, paid } = payDebts(booking, { account, balance }, most);
  if (operations.length === 0) return [];

  const transaction = newTransaction(ledger, stamp, {
    id,
    status: 'APPROVED',
    amount: formatAmount(paid),
    assetCode: account.assetCode,
    details: { metadata: { feeDebtCollection: 'true' } },
    legs: [],
    operations,
  });
  const aliasesOn = (side: 'debit' | 'credit') =>
    operations.flatMap(({ type, direction, accountAlias: alias }) =>
      type === 'FEE_SETTLEMENT' && direction === side ? [alias] : [],
    );
  const named = { source: aliasesOn('debit'), destination: aliasesOn('credit') };
  const collected = withDebtChanges({ ...transaction, ...named }, debts);
  return [{ type: 'TransactionPosted', data: { transaction: collected } }];
}
