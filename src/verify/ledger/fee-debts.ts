import { add, formatAmount, negate, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import type { Books } from './books.ts';
import { digest } from './settled.ts';
import type {
  AuditedDebt,
  AuditedDebtChange,
  AuditedOperation,
  AuditedTransaction,
} from './shapes.ts';

/** The amounts of a debt after its last change; the rest of it never changes. */
type KnownDebt = Readonly<{ fixed: bigint; totals: DebtTotals }>;
type DebtTotals = Readonly<Record<'opened' | 'remaining' | Exclude<Kind, 'opened'>, Amount>>;
type Kind = 'opened' | 'settled' | 'canceled' | 'reopened' | 'refunded';

const PAYMENTS: Readonly<Record<string, string>> = {
  settled: 'FEE_SETTLEMENT',
  reopened: 'FEE_REFUND',
  refunded: 'FEE_REFUND',
};

/** The fee debts of one ledger: every change follows from the state before it, and from operations of its transaction. */
export class FeeDebts {
  readonly #books: Books;
  readonly #debts = new Map<string, KnownDebt>();
  /** The accounts that owe the open debts. */
  readonly #open = new Map<string, string>();
  #lastSeq = 0;

  constructor(books: Books) {
    this.#books = books;
  }

  /** Takes the changes of a transaction; `operations` are those of its last step. */
  changed(
    transaction: AuditedTransaction,
    operations: readonly AuditedOperation[],
    isReversal: boolean,
  ): void {
    const { feeDebts = [], id } = transaction;
    const due = new Map<string, Amount>();
    for (const change of feeDebts) {
      this.#applied(change, id, isReversal);
      const type = PAYMENTS[change.kind];
      if (type === undefined) continue;
      const { debtor, creditor } = change.debt;
      const [payer, earner] = type === 'FEE_SETTLEMENT' ? [debtor, creditor] : [creditor, debtor];
      const amount = parseAmount(change.amount);
      this.#expect(due, `${type} debit ${payer.accountId} ${payer.key}`, amount);
      this.#expect(due, `${type} credit ${earner.accountId} ${earner.key}`, amount);
    }
    for (const { type, direction, accountId, balanceKey, amount } of operations) {
      if (!isOfDebts({ type })) continue;
      this.#expect(
        due,
        `${type} ${direction} ${accountId} ${balanceKey}`,
        negate(parseAmount(amount)),
      );
    }
    for (const [what, left] of due) {
      if (left !== ZERO)
        differ(`its debts and its operations differ by ${formatAmount(left)}: ${what}`);
    }
  }

  #expect(due: Map<string, Amount>, what: string, amount: Amount): void {
    due.set(what, add(due.get(what) ?? ZERO, amount));
  }

  #applied({ kind, amount: text, debt }: AuditedDebtChange, id: string, isReversal: boolean): void {
    const amount = parseAmount(text);
    const name = `fee debt ${debt.id}`;
    if (amount <= ZERO) differ(`${name} is ${kind} by ${text}`);
    const known = this.#debts.get(debt.id);
    const now = totalsOf(debt);
    if (kind === 'opened') {
      if (known !== undefined) differ(`${name} is opened twice`);
      if (debt.originTransactionId !== id || !debt.id.startsWith(`${id}:`)) {
        differ(`${name} is not of its transaction`);
      }
      if (debt.seq !== this.#lastSeq + 1) differ(`${name} has seq ${String(debt.seq)}`);
      this.#lastSeq = debt.seq;
      checkTotals(name, now, { ...NOTHING, opened: amount, remaining: amount });
      for (const { alias } of [debt.debtor, debt.creditor]) {
        if (!this.#books.hasAlias(alias)) differ(`${name} names ${alias}, which is no account`);
      }
    } else {
      if (known === undefined) differ(`${name} was never opened`);
      if (known.fixed !== fixedOf(debt)) differ(`${name} is another than was opened`);
      if (kind !== 'settled' && !isReversal) differ(`${name} is ${kind} by no reversal`);
      const before = known.totals;
      const remaining = add(before.remaining, (amount * SIGN[kind]) as Amount);
      checkTotals(name, now, { ...before, [kind]: add(before[kind], amount), remaining });
      if (remaining < ZERO) differ(`${name} is paid more than is owed`);
      const paid = add(now.settled, negate(now.reopened));
      if (paid < now.refunded) differ(`${name} is paid back more than was paid`);
    }
    this.#debts.set(debt.id, { fixed: fixedOf(debt), totals: now });
    if (now.remaining === ZERO) this.#open.delete(debt.id);
    else this.#open.set(debt.id, debt.debtor.accountId);
  }

  /** An account that goes owes nothing. */
  checkOwesNothing(accountId: string): void {
    for (const [id, debtor] of this.#open) {
      if (debtor === accountId) differ(`account ${accountId} goes and owes ${id}`);
    }
  }
}

export const isOfDebts = ({ type }: Pick<AuditedOperation, 'type'>): boolean =>
  type === 'FEE_SETTLEMENT' || type === 'FEE_REFUND';

const SIGN = { settled: -1n, canceled: -1n, reopened: 1n, refunded: 0n } as const;

const NOTHING: DebtTotals = {
  ...{ opened: ZERO, settled: ZERO, canceled: ZERO, reopened: ZERO, refunded: ZERO },
  remaining: ZERO,
};

const totalsOf = (debt: AuditedDebt): DebtTotals => ({
  opened: parseAmount(debt.opened),
  settled: parseAmount(debt.settled),
  canceled: parseAmount(debt.canceled),
  reopened: parseAmount(debt.reopened),
  refunded: parseAmount(debt.refunded),
  remaining: parseAmount(debt.remaining),
});

/** A digest of the members that no change touches. */
const fixedOf = (debt: AuditedDebt): bigint => {
  const { originTransactionId, feePackageId, seq, assetCode, debtor, creditor, openedAt } = debt;
  const fixed = [originTransactionId, feePackageId, seq, assetCode, debtor, creditor, openedAt];
  return digest(JSON.stringify(fixed));
};

function checkTotals(name: string, now: DebtTotals, due: DebtTotals): void {
  for (const member of Object.keys(due) as (keyof DebtTotals)[]) {
    if (now[member] === due[member]) continue;
    const [is, must] = [now[member], due[member]].map(formatAmount);
    differ(`${name} comes to ${member} ${is!}, not to ${must!}`);
  }
}
