import type { EventName } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { RecentKeys } from './recent-keys.ts';

type Known = Readonly<{ revision: Revision }>;

/** Names of the events that the journal index does not hold yet. */
export class RecentNames {
  readonly #byKind = {
    transaction: new RecentKeys<Known>(),
    reversal: new RecentKeys<Known>(),
    group: new RecentKeys<Known>(),
    value: new RecentKeys<Known>(),
  };

  get size(): number {
    const { transaction, reversal, group, value } = this.#byKind;
    return transaction.size + reversal.size + group.size + value.size;
  }

  get({ kind, key }: EventName): Revision | undefined {
    return this.#byKind[kind].get(key)?.revision;
  }

  add({ kind, key }: EventName, revision: Revision): void {
    this.#byKind[kind].add(key, { revision });
  }

  /** What came after a revision did not happen. */
  takeBack(after: Revision): void {
    for (const names of Object.values(this.#byKind)) names.takeBack(after);
  }

  /** Forgets what the index holds by now: everything up to a revision. */
  trim(through: Revision): void {
    for (const names of Object.values(this.#byKind)) names.trim(through);
  }
}
