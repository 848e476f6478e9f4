import type { Revision } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** A used idempotency key: the event it caused and the hash of its request. */
export type KnownKey = Readonly<{
  revision: Revision;
  requestHash: string;
  expiresAt?: Instant | undefined;
}>;

/** Keys of one kind, of events that the journal index does not hold yet, in journal order. */
export class RecentKeys<Known extends Readonly<{ revision: Revision }> = KnownKey> {
  readonly #known = new Map<string, Known>();
  #order: Readonly<{ key: string; known: Known }>[] = [];
  #first = 0;

  get size(): number {
    return this.#known.size;
  }

  get(key: string): Known | undefined {
    return this.#known.get(key);
  }

  add(key: string, known: Known): void {
    this.#known.set(key, known);
    this.#order.push({ key, known });
  }

  /** Undoes what was added after a revision, so that older uses of these keys count again. Returns the keys. */
  takeBack(after: Revision): ReadonlySet<string> {
    const lost = new Set<string>();
    while (this.#order.length > this.#first && this.#order.at(-1)!.known.revision > after) {
      lost.add(this.#order.pop()!.key);
    }
    for (const key of lost) this.#known.delete(key);
    if (lost.size === 0) return lost;
    for (const { key, known } of this.#order.slice(this.#first)) {
      if (lost.has(key)) this.#known.set(key, known);
    }
    return lost;
  }

  /** Forgets everything up to a revision, which the index holds. */
  trim(through: Revision): void {
    for (; this.#first < this.#order.length; this.#first += 1) {
      const oldest = this.#order[this.#first];
      if (oldest === undefined || oldest.known.revision > through) break;
      if (this.#known.get(oldest.key) === oldest.known) this.#known.delete(oldest.key);
    }
    if (this.#first > COMPACT_AT && this.#first * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#first);
      this.#first = 0;
    }
  }
}

const COMPACT_AT = 1024;
