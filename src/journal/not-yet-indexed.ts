import type { EventName } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { RecentKeys, type KnownKey } from './recent-keys.ts';
import { RecentNames } from './recent-names.ts';

/** What a journal's events say that its index does not hold yet: which keys were used, and where names lead. */
export class NotYetIndexed {
  #keys = new RecentKeys();
  #names = new RecentNames();
  #trimmed: Revision = NONE;

  /** How many of the kind there are more of. */
  get size(): number {
    return Math.max(this.#keys.size, this.#names.size);
  }

  /** Up to here keys and names may be gone from memory: the index has to hold them. */
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

  /** What came after a revision did not happen. Answers the keys that were used there. */
  takeBack(after: Revision): ReadonlySet<string> {
    this.#names.takeBack(after);
    return this.#keys.takeBack(after);
  }

  /**
   * Keeps what the last events before a revision say, when there is too much: what is older is looked up in the index, and
   * waits until that holds it.
   */
  shorten(before: Revision): void {
    if (this.size > KEPT_MAX) this.trim(before - EVENTS_KEPT);
  }

  /** What was read from the log takes the place of what was here; the index may have come further meanwhile. */
  adopt(read: NotYetIndexed): void {
    const trimmed = Math.max(this.#trimmed, read.#trimmed);
    this.#keys = read.#keys;
    this.#names = read.#names;
    this.#trimmed = NONE;
    this.trim(trimmed);
  }
}

/** While a journal is loaded whose index is missing; well below what stops its writer (Limits.recentKeys). */
const KEPT_MAX = 100_000;
const EVENTS_KEPT = 50_000;
