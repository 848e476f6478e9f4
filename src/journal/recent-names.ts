import type { EventName } from '#src/domain/decider.ts';
import type { Revision } from '#src/domain/ids.ts';
import { RecentKeys } from './recent-keys.ts';

type Known = Readonly<{ revision: Revision }>;

/** Names of the events that the journal index does not hold yet. */
export class RecentNames {
  readonly #byKind = {
    transaction: new RecentKeys<Known>(),
    reversal: new RecentKeys<Known>(),
  };

  get size(): number {
    return this.#byKind.transaction.size + this.#byKind.reversal.size;
  }

  get({ kind, key }: EventName): Revision | undefined {
    return this.#byKind[kind].get(key)?.revision;
  }

  add({ kind, key }: EventName, revision: Revision): void {
    this.#byKind[kind].add(key, { revision });
  }

  /** What came after a revision did not happen. */
  takeBack(after: Revision): void {
    this.#byKind.transaction.takeBack(after);
    this.#byKind.reversal.takeBack(after);
  }

  /** Forgets what the index holds by now: everything up to a revision. */
  trim(through: Revision): void {
    this.#byKind.transaction.trim(through);
    this.#byKind.reversal.trim(through);
  }
}
