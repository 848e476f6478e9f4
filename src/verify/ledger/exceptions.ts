import { parseAmount, ZERO } from '#src/domain/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { wholeLegs } from './digests.ts';
import type { BlockException, Operation } from './shapes.ts';

/** Exceptions from blocks that were granted and not used. */
export class Exceptions {
  readonly #granted = new Map<string, BlockException>();

  grant(exceptions: readonly BlockException[]): void {
    for (const exception of exceptions) {
      const { id, amount, createdAt, expiresAt } = exception;
      if (this.#granted.has(id)) differ(`there is an exception ${id} already`);
      if (parseAmount(amount) <= ZERO) differ(`an exception is for ${amount}`);
      if (expiresAt <= createdAt) differ(`an exception ends at ${expiresAt}`);
      this.#drop(createdAt);
      this.#granted.set(id, exception);
    }
  }

  /** Once, in its time, for one debit of its very amount. Answers the account whose debits pass. */
  use(id: string, at: string, operations: readonly Operation[]): string {
    const exception = this.#granted.get(id);
    if (exception === undefined) differ(`there is no exception ${id}, or it was used`);
    this.#granted.delete(id);
    const { accountId, amount, expiresAt } = exception;
    if (expiresAt <= at) differ(`exception ${id} ended at ${expiresAt}`);
    const debits = wholeLegs(operations).filter(
      (leg) => leg.accountId === accountId && leg.direction === 'debit',
    );
    const [debit] = debits;
    if (debit === undefined || debits.length > 1) {
      differ(`exception ${id} lets one debit pass, not ${debits.length}`);
    }
    if (debit.amount !== amount) {
      differ(`exception ${id} is for ${amount}, not for ${debit.amount}`);
    }
    return accountId;
  }

  /** None lives longer than a day, so that no more are kept than a day grants. */
  #drop(now: string): void {
    for (const [id, { expiresAt }] of this.#granted) {
      if (expiresAt > now) break;
      this.#granted.delete(id);
    }
  }
}
