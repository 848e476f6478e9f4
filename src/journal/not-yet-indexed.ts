import type { EventName } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { RecentKeys, type KnownKey } from './recent-keys.ts';
import { RecentNames } from './recent-names.ts';

/** Keys and names of the events that the journal index does not hold yet. */
export class NotYetIndexed {
  #keys = new RecentKeys();
  #names = new RecentNames();
  #trimmed: Revision = NONE;

  /** The larger of the numbers of keys and names. */
  get size(): number {
    return Math.max(this.#keys.size, this.#names.size);
  }

  /** The revision up to which keys and names were dropped from memory, because the index holds them. */
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

  /** Drops what the index holds up to a revision. */
  trim(through: Revision): void {
    if (through <= this.#trimmed) return;
    this.#trimmed = through;
    this.#keys.trim(through);
    this.#names.trim(through);
  }

  /** Drops what was decided after a revision and undone. Returns the keys used there. */
  takeBack(after: Revision): ReadonlySet<string> {
    this.#names.takeBack(after);
    return this.#keys.takeBack(after);
  }

  /**
   * Bounds the memory during a load: drops all but the last events before a revision. Look-ups of what was dropped wait until
   * the index holds it.
   */
  shorten(before: Revision): void {
    if (this.size > KEPT_MAX) this.trim(before - EVENTS_KEPT);
  }

  /** Replaces everything by what was read from the log; the index may have come further meanwhile. */
  adopt(read: NotYetIndexed): void {
    const trimmed = Math.max(this.#trimmed, read.#trimmed);
    this.#keys = read.#keys;
    this.#names = read.#names;
    this.#trimmed = NONE;
    this.trim(trimmed);
  }
}

/** The bound during a load without an index; well below the one that stops the writer (Limits.recentKeys). */
const KEPT_MAX = 100_000;
const EVENTS_KEPT = 50_000;
