import type { EventName } from '#src/domain/decider.ts';
import { NONE, type Revision } from '#src/domain/ids.ts';
import { RecentKeys, type KnownKey } from './recent-keys.ts';
import { RecentNames } from './recent-names.ts';

/** What a journal's events say that its index does not hold yet: which keys were used, and where names lead. */
export class Unindexed {
  #keys = new RecentKeys();
  #names = new RecentNames();
  #trimmed: Revision = NONE;

  /** How many of the kind there are more of. */
  get size(): number {
    return Math.max(this.#keys.size, this.#names.size);
  }

  /** Up to here keys and names are in the index and may be gone from memory. */
  get trimmed(): Revision {
    return this.#trimmed;
  }

  key(key: string): KnownKey | undefined {
    return this.#keys.get(key);
  }

  revisionOf(name: EventName): Revision | undefined {
    return this.#names.get(name);
  }

  addKey(key: string, known: KnownKey): void {
    this.#keys.add(key, known);
  }

  addName(name: EventName, revision: Revision): void {
    this.#names.add(name, revision);
  }

  /** The index holds the journal up to a revision. */
  trim(through: Revision): void {
    if (through <= this.#trimmed) return;
    this.#trimmed = through;
    this.#keys.trim(through);
    this.#names.trim(through);
  }

  /** What came after a revision did not happen. */
  takeBack(after: Revision): void {
    this.#keys.takeBack(after);
    this.#names.takeBack(after);
  }

  /** What was read from the log takes the place of what was here; the index may have come further meanwhile. */
  adopt(read: Unindexed): void {
    const trimmed = Math.max(this.#trimmed, read.#trimmed);
    this.#keys = read.#keys;
    this.#names = read.#names;
    this.#trimmed = NONE;
    this.trim(trimmed);
  }
}
