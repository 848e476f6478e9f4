import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { KeyStretch } from './key-stretch.ts';

/** A used idempotency key: the event it caused and the hash of its request. */
export type KnownKey = Readonly<{
  revision: Revision;
  requestHash: string;
  expiresAt?: Instant | undefined;
}>;

/**
 * Keys of one kind, of events that the journal index does not hold yet, in journal order. They are kept in stretches that
 * are dropped as a whole.
 */
export class RecentKeys<Known extends Readonly<{ revision: Revision }> = KnownKey> {
  /** The oldest first. */
  #stretches: KeyStretch<Known>[] = [];
  /** The number of uses at the beginning of the first stretch that are forgotten. */
  #forgotten = 0;
  #trimmed: Revision = NONE;
  #size = 0;

  /** The number of uses. */
  get size(): number {
    return this.#size;
  }

  get(key: string): Known | undefined {
    for (let n = this.#stretches.length - 1; n >= 0; n -= 1) {
      const known = this.#stretches[n]!.get(key);
      if (known !== undefined) return known.revision > this.#trimmed ? known : undefined;
    }
    return undefined;
  }

  add(key: string, known: Known): void {
    let stretch = this.#stretches.at(-1);
    if (stretch === undefined || stretch.isFull) {
      this.#stretches.push((stretch = new KeyStretch()));
    }
    stretch.add(key, known);
    this.#size += 1;
  }

  /** Undoes what was added after a revision, so that older uses of these keys count again. Returns the keys. */
  takeBack(after: Revision): ReadonlySet<string> {
    const lost = new Set<string>();
    for (let stretch; (stretch = this.#stretches.pop()) !== undefined;) {
      const left = stretch.uses.findIndex(({ known }) => known.revision > after);
      const uses = left < 0 ? stretch.uses : stretch.uses.slice(0, left);
      for (const { key } of stretch.uses.slice(uses.length)) lost.add(key);
      this.#size -= stretch.uses.length - uses.length;
      if (uses.length === 0) continue;
      this.#stretches.push(left < 0 ? stretch : new KeyStretch(uses));
      break;
    }
    return lost;
  }

  /** Forgets everything up to a revision, which the index holds. */
  trim(through: Revision): void {
    this.#trimmed = Math.max(this.#trimmed, through);
    for (let first; (first = this.#stretches[0]) !== undefined;) {
      const { uses } = first;
      const before = this.#forgotten;
      while (this.#forgotten < uses.length && uses[this.#forgotten]!.known.revision <= through) {
        this.#forgotten += 1;
      }
      this.#size -= this.#forgotten - before;
      if (this.#forgotten < uses.length) return;
      this.#stretches.shift();
      this.#forgotten = 0;
    }
  }
}
