import { hash } from 'node:crypto';

/** An earlier use of an idempotency key; `expiresAt` is Infinity for a key that never expires. */
export type KeyUse = Readonly<{ revision: number; expiresAt: number }>;

/** 96 bits of a key's SHA-256: two of ten million keys collide with a probability of 10⁻¹⁵. */
export type KeyDigest = readonly [number, number, number];

export function digestOf(key: string): KeyDigest {
  const bytes = hash('sha256', key, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
}

/** A hash table outside the heap, because a JavaScript Map of as many keys takes ten times the 24 bytes of a slot. */
export class KeyTable {
  readonly #digests: Uint32Array;
  readonly #revisions: Uint32Array;
  /** 0 marks an empty slot. */
  readonly #expiries: Float64Array;
  readonly #slots: number;
  #count = 0;

  /** `slots` is a power of two. */
  constructor(slots: number) {
    this.#slots = slots;
    this.#digests = new Uint32Array(slots * DIGEST_WORDS);
    this.#revisions = new Uint32Array(slots);
    this.#expiries = new Float64Array(slots);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#slots * LOAD_MAX;
  }

  get(digest: KeyDigest): KeyUse | undefined {
    const slot = this.#slotOf(digest);
    const expiresAt = this.#expiries[slot]!;
    return expiresAt === 0 ? undefined : { revision: this.#revisions[slot]!, expiresAt };
  }

  set(digest: KeyDigest, { revision, expiresAt }: KeyUse): void {
    const slot = this.#slotOf(digest);
    if (this.#expiries[slot] === 0) this.#count += 1;
    this.#digests.set(digest, slot * DIGEST_WORDS);
    this.#revisions[slot] = revision;
    this.#expiries[slot] = expiresAt;
  }

  /** Counts the keys that have not expired at `now`. */
  live(now: number): number {
    return this.#expiries.reduce((count, expiresAt) => count + Number(expiresAt > now), 0);
  }

  /** Copies the keys that have not expired at `now` into a table with room for at least as many again. */
  compacted(now: number): KeyTable {
    const live = this.live(now);
    let slots = SLOTS_FIRST;
    while (live * 2 > slots * LOAD_MAX) slots *= 2;
    const compacted = new KeyTable(slots);
    for (let slot = 0; slot < this.#slots; slot += 1) {
      const expiresAt = this.#expiries[slot]!;
      if (expiresAt <= now) continue;
      const at = slot * DIGEST_WORDS;
      const digest = this.#digests.subarray(at, at + DIGEST_WORDS) as unknown as KeyDigest;
      compacted.set(digest, { revision: this.#revisions[slot]!, expiresAt });
    }
    return compacted;
  }

  /** The slot of a digest, or the empty slot where it belongs. */
  #slotOf([a, b, c]: KeyDigest): number {
    const mask = this.#slots - 1;
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      if (this.#expiries[slot] === 0) return slot;
      const at = slot * DIGEST_WORDS;
      const digests = this.#digests;
      if (digests[at] === a && digests[at + 1] === b && digests[at + 2] === c) return slot;
    }
  }
}

const DIGEST_WORDS = 3;
export const SLOTS_FIRST = 16;
const LOAD_MAX = 0.75;
