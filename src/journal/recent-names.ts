import type { EventName } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { RecentKeys } from './recent-keys.ts';

type NamedRevision = Readonly<{ revision: Revision }>;

/** Names of the events that the journal index does not hold yet. */
export class RecentNames {
  readonly #byKind = new Map<string, RecentKeys<NamedRevision>>();

  get size(): number {
    let size = 0;
    for (const names of this.#byKind.values()) size += names.size;
    return size;
  }

  get({ kind, key }: EventName): Revision | undefined {
    return this.#byKind.get(kind)?.get(key)?.revision;
  }

  add({ kind, key }: EventName, revision: Revision): void {
    let names = this.#byKind.get(kind);
    if (names === undefined) this.#byKind.set(kind, (names = new RecentKeys<NamedRevision>()));
    names.add(key, { revision });
  }

  /** Undoes what was added after a revision. */
  takeBack(after: Revision): void {
    for (const names of this.#byKind.values()) names.takeBack(after);
  }

  /** Forgets everything up to a revision, which the index holds. */
  trim(through: Revision): void {
    for (const names of this.#byKind.values()) names.trim(through);
  }
}
