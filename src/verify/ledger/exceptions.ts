import { parseAmount, ZERO } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { wholeLegs } from './digests.ts';
import type { AuditedException, AuditedOperation, AuditedTransaction } from './shapes.ts';

/** The block exceptions that were granted and not used. */
export class Exceptions {
  readonly #granted = new Map<string, AuditedException>();
  /** The exceptions that are reserved, by transaction. */
  readonly #kept = new Map<string, string>();

  grant(exceptions: readonly AuditedException[]): void {
    for (const exception of exceptions) {
      const { id, amount, createdAt, expiresAt } = exception;
      if (this.#granted.has(id)) differ(`there is an exception ${id} already`);
      if (parseAmount(amount) <= ZERO) differ(`an exception is for ${amount}`);
      if (expiresAt <= createdAt) differ(`an exception ends at ${expiresAt}`);
      this.#drop(createdAt);
      this.#granted.set(id, exception);
    }
  }

  /** Uses an exception for one debit of exactly its amount. Returns the account whose debits pass. */
  use(id: string, at: string, operations: readonly AuditedOperation[]): string {
    const accountId = this.#check(id, at, wholeLegs(operations));
    this.#granted.delete(id);
    return accountId;
  }

  /** Reserves an exception for a part of a group, which uses it when it is posted. */
  keep(
    id: string,
    { id: holder, updatedAt, operations, awaiting = [] }: AuditedTransaction,
  ): string {
    const unheld = awaiting.filter(({ direction }) => direction === 'debit');
    const accountId = this.#check(id, updatedAt, [...wholeLegs(operations), ...unheld]);
    this.#kept.set(holder, id);
    return accountId;
  }

  /** Uses the exception that is reserved for a part; it may have expired meanwhile. */
  spend(id: string | undefined, holder: string): void {
    const kept = this.#kept.get(holder);
    if (id !== kept)
      differ(`it used the exception ${id ?? 'none'}, and ${kept ?? 'none'} was kept for it`);
    this.giveBack(holder);
    if (id !== undefined) this.#granted.delete(id);
  }

  /** Ends the reservation of a part that was given up or unbound. */
  giveBack(holder: string): void {
    this.#kept.delete(holder);
  }

  #check(id: string, at: string, legs: readonly ExemptLeg[]): string {
    const exception = this.#granted.get(id);
    if (exception === undefined) differ(`there is no exception ${id}, or it was used`);
    if ([...this.#kept.values()].includes(id)) differ(`the exception ${id} is kept for a group`);
    const { accountId, amount, expiresAt } = exception;
    if (expiresAt <= at) differ(`exception ${id} ended at ${expiresAt}`);
    const all = legs.filter((leg) => leg.accountId === accountId && leg.direction === 'debit');
    // The fees of a debit pass with it.
    const debits =
      all.length > 1
        ? all.filter(({ origin }) => origin !== 'fee' && origin !== 'settlement')
        : all;
    const [debit] = debits;
    if (debit === undefined || debits.length > 1) {
      differ(`exception ${id} lets one debit pass, not ${debits.length}`);
    }
    if (debit.amount !== amount) {
      differ(`exception ${id} is for ${amount}, not for ${debit.amount}`);
    }
    return accountId;
  }

  /** Drops expired exceptions. They live for at most a day, so memory is bounded by those granted in a day. */
  #drop(now: string): void {
    for (const [id, { expiresAt }] of this.#granted) {
      if (expiresAt > now) break;
      this.#granted.delete(id);
    }
  }
}

type ExemptLeg = Pick<AuditedOperation, 'accountId' | 'amount'> &
  Readonly<{ direction?: string; origin?: string }>;
