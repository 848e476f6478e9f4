import { parseAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Facts } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { DebtBalance, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Leg } from '#commands/ledger/transaction/legs.ts';
import { debtLeg, partyOf, type DebtParty } from './debt-legs.ts';
import { findDebt } from './find-debt.ts';
import type { RunningDebts } from './running-debts.ts';

/** The legs by which fee accounts return what was paid on debts. */
export type ReturnedFees = Readonly<{
  /** Pay back debts that the reverted transaction paid, which are open again. */
  reopened: readonly Leg[];
  /** Pay back debts that it opened, which are canceled. */
  refunded: readonly Leg[];
}>;

/**
 * Takes back what a transaction did to debts. The debts that it opened are canceled, and all that was paid on them later is
 * refunded. The debts that its credits paid are open again, unless their origin was reverted, which refunded that payment
 * already. Errors: NOTHING_TO_REVERT for a collection, ACCOUNTS_NOT_ELIGIBLE.
 */
export function revertDebts(
  ledger: Ledger,
  { feeDebts = [], operations }: TransactionRecord,
  debts: RunningDebts,
  facts: Facts,
): ReturnedFees {
  if (operations.every(({ type }) => type === 'FEE_SETTLEMENT')) throw nothingToRevert();
  const reopened: Leg[] = [];
  const refunded: Leg[] = [];
  for (const { kind, debt, amount: text } of feeDebts) {
    const current = debts.find(debt) ?? findDebt(ledger, debt, facts);
    if (kind === 'settled' && hasOrigin(current)) {
      const amount = parseAmount(text);
      reopened.push(...returned(ledger, current, amount));
      debts.change('reopened', current, amount);
    }
    if (kind === 'opened') refunded.push(...cancelDebt(ledger, current, debts));
  }
  return { reopened, refunded };
}

function cancelDebt(ledger: Ledger, debt: FeeDebtRecord, debts: RunningDebts): Leg[] {
  const remaining = parseAmount(debt.remaining);
  const canceled = remaining > ZERO ? debts.change('canceled', debt, remaining) : debt;
  const paid = subtract(parseAmount(debt.settled), parseAmount(debt.reopened));
  if (paid === ZERO) return [];
  debts.change('refunded', canceled, paid);
  return returned(ledger, debt, paid);
}

/** The reversal of its origin cancels or refunds all of a debt, which is more than nothing. */
const hasOrigin = ({ canceled, refunded }: FeeDebtRecord): boolean =>
  canceled === '0' && refunded === '0';

const returned = (ledger: Ledger, debt: FeeDebtRecord, amount: Amount): Leg[] => [
  debtLeg(ledger, 'debit', eligible(ledger, debt.creditor), debt, amount),
  debtLeg(ledger, 'credit', eligible(ledger, debt.debtor), debt, amount),
];

function eligible(ledger: Ledger, stored: DebtBalance): DebtParty {
  const party = partyOf(ledger, stored);
  if (party !== undefined) return party;
  throw refuse('ACCOUNTS_NOT_ELIGIBLE', `The ledger has no balance ${stored.alias}#${stored.key}.`);
}

const nothingToRevert = () =>
  refuse('NOTHING_TO_REVERT', 'The transaction collected fee debts, which is not reverted.');
