import { detached } from '#src/kernel/detached.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { FeeDebtChange, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import { refuse } from '#src/events/ledger/refusals.ts';

/** The fees that accounts of a ledger owe: about 1 KB for each open debt, nothing for one that is paid. */
export class OpenDebts {
  readonly #byAccount = new Map<Uuid, readonly FeeDebtRecord[]>();
  #lastSeq = 0;

  /** True for most ledgers, whose postings need to look no further. */
  get isEmpty(): boolean {
    return this.#byAccount.size === 0;
  }

  /** The number of debts that were ever opened. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The debts of all balances of an account, oldest first. */
  of(account: Uuid): readonly FeeDebtRecord[] {
    return this.#byAccount.get(account) ?? [];
  }

  all(): Iterable<FeeDebtRecord> {
    return [...this.#byAccount.values()].flat();
  }

  isOwedBy(account: Uuid): boolean {
    return this.#byAccount.has(account);
  }

  evolve(changes: readonly FeeDebtChange[] | undefined): void {
    if (changes === undefined) return;
    for (const { debt } of changes) this.put(debt);
  }

  /** Takes a debt as an event left it; a debt of which nothing remains is forgotten. */
  put(debt: FeeDebtRecord): void {
    this.#lastSeq = Math.max(this.#lastSeq, debt.seq);
    const { accountId } = debt.debtor;
    const debts = withDebt(this.of(accountId), debt.remaining === '0' ? debt : inMemory(debt));
    if (debts.length > 0) this.#byAccount.set(detached(accountId), debts);
    else this.#byAccount.delete(accountId);
  }

  /** Takes the number of debts from a snapshot. */
  restore(lastSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
  }
}

/** Replaces a debt in a list, in the order of `seq`, or removes it if nothing remains of it. */
export function withDebt(
  debts: readonly FeeDebtRecord[],
  debt: FeeDebtRecord,
): readonly FeeDebtRecord[] {
  const isNewest = (debts.at(-1)?.seq ?? 0) < debt.seq;
  if (isNewest) return debt.remaining === '0' ? debts : [...debts, debt];
  const others = debts.filter(({ id }) => id !== debt.id);
  if (debt.remaining === '0') return others;
  const later = others.findIndex(({ seq }) => seq > debt.seq);
  return later < 0 ? [...others, debt] : others.toSpliced(later, 0, debt);
}

/** Errors: FEE_DEBT_OPEN, because closing the account, or deleting its balance `key`, would lose the debt. */
export function checkOwesNothing(
  debts: OpenDebts,
  { id, alias }: Readonly<{ id: Uuid; alias: string }>,
  key?: string,
): void {
  const owes = debts.of(id).some(({ debtor }) => key === undefined || debtor.key === key);
  if (owes) throw refuse('FEE_DEBT_OPEN', `${alias} owes fees.`);
}

/** Copies a debt, because the texts of an event would keep all of it in memory. */
const inMemory = (debt: FeeDebtRecord): FeeDebtRecord =>
  JSON.parse(JSON.stringify(debt)) as FeeDebtRecord;
