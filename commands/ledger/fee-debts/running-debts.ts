import { add, formatAmount, parseAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { FeeDebtChange, FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import { withDebt, type OpenDebts } from '#commands/ledger/state/open-debts.ts';

/** The members of a debt that are known when it is opened. */
type OpenedDebt = Omit<
  FeeDebtRecord,
  | 'seq'
  | 'opened'
  | 'settled'
  | 'canceled'
  | 'reopened'
  | 'refunded'
  | 'remaining'
  | 'openedAt'
  | 'updatedAt'
>;

type DebtEffect = Exclude<FeeDebtChange['kind'], 'opened'>;

/** The open debts after the changes that a decision has made so far, and the changes of its current transaction. */
export class RunningDebts {
  readonly #open: OpenDebts;
  readonly #instant: Instant;
  readonly #changed = new Map<Uuid, readonly FeeDebtRecord[]>();
  #lastSeq: number;
  #changes: FeeDebtChange[] = [];

  constructor(open: OpenDebts, instant: Instant) {
    this.#open = open;
    this.#instant = instant;
    this.#lastSeq = open.lastSeq;
  }

  get isEmpty(): boolean {
    return this.#open.isEmpty && this.#changed.size === 0;
  }

  /** The debts of one balance, oldest first. */
  of(account: Uuid, key: string): readonly FeeDebtRecord[] {
    return this.#ofAccount(account).filter(({ debtor }) => debtor.key === key);
  }

  find({ debtor, id }: Pick<FeeDebtRecord, 'debtor' | 'id'>): FeeDebtRecord | undefined {
    return this.#ofAccount(debtor.accountId).find((one) => one.id === id);
  }

  open(debt: OpenedDebt, owed: Amount): void {
    const amount = formatAmount(owed);
    this.#lastSeq += 1;
    const { id, ...facts } = debt;
    this.#put('opened', amount, {
      ...{ id, seq: this.#lastSeq, ...facts },
      ...{ opened: amount, settled: '0', canceled: '0', reopened: '0', refunded: '0' },
      ...{ remaining: amount, openedAt: this.#instant, updatedAt: this.#instant },
    });
  }

  /** Changes a debt as it is now, and returns it. A refund pays back what was settled, and leaves the rest as it is. */
  change(kind: DebtEffect, debt: FeeDebtRecord, by: Amount): FeeDebtRecord {
    const amount = formatAmount(by);
    const remaining = formatAmount(add(parseAmount(debt.remaining), signed(kind, by)));
    const total = formatAmount(add(parseAmount(debt[kind]), by));
    return this.#put(kind, amount, {
      ...{ ...debt, [kind]: total, remaining },
      updatedAt: this.#instant,
    });
  }

  /** Returns the changes of the current transaction, undefined if there are none, and begins the next one. */
  taken(): readonly FeeDebtChange[] | undefined {
    if (this.#changes.length === 0) return undefined;
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  #put(kind: FeeDebtChange['kind'], amount: string, debt: FeeDebtRecord): FeeDebtRecord {
    const { accountId } = debt.debtor;
    this.#changed.set(accountId, withDebt(this.#ofAccount(accountId), debt));
    this.#changes.push({ kind, amount, debt });
    return debt;
  }

  #ofAccount(account: Uuid): readonly FeeDebtRecord[] {
    return this.#changed.get(account) ?? this.#open.of(account);
  }
}

function signed(kind: DebtEffect, amount: Amount): Amount {
  if (kind === 'refunded') return ZERO;
  return kind === 'reopened' ? amount : subtract(ZERO, amount);
}
