import { hash } from 'node:crypto';

/** The outcome of a transaction; one on hold is not settled. */
export type Fate = 'approved' | 'reverted' | 'reversal' | 'noted' | 'canceled';

/** Digests of 64 bits: of the fixed members of a transaction, and of the movements that a reversal must undo. */
export type Digests = Readonly<{ fixed: bigint; legs: bigint }>;

/**
 * The settled transactions of a ledger, in about 50 bytes each outside the heap: the outcome, and digests to compare
 * with later records and reversals.
 */
export class Settled {
  #words = new Uint32Array(STRIDE * CAPACITY_FIRST);
  #capacity = CAPACITY_FIRST;
  count = 0;

  get(id: string): Readonly<{ fate: Fate } & Digests> | undefined {
    const at = this.#place(keyOf(id)) * STRIDE;
    const fate = FATES[this.#words[at + 4]!];
    if (fate === undefined) return undefined;
    return { fate, fixed: this.#wide(at + 5), legs: this.#wide(at + 7) };
  }

  set(id: string, fate: Fate, { fixed, legs }: Digests): void {
    if (this.count > this.#capacity * LOAD_MAX) this.#grow();
    const key = keyOf(id);
    const at = this.#place(key) * STRIDE;
    if (this.#words[at + 4] === 0) this.count += 1;
    this.#words.set([...key, FATES.indexOf(fate)], at);
    this.#words.set([...halves(fixed), ...halves(legs)], at + 5);
  }

  /** The slot of a key, or the empty slot where it belongs. */
  #place([a, b, c, d]: Key): number {
    const words = this.#words;
    const mask = this.#capacity - 1;
    for (let slot = (c ^ Math.imul(d, SPREAD) ^ b) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * STRIDE;
      const same =
        words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d;
      if (same || words[at + 4] === 0) return slot;
    }
  }

  #wide(at: number): bigint {
    return (BigInt(this.#words[at]!) << 32n) | BigInt(this.#words[at + 1]!);
  }

  #grow(): void {
    const old = this.#words;
    this.#capacity *= 2;
    this.#words = new Uint32Array(STRIDE * this.#capacity);
    for (let at = 0; at < old.length; at += STRIDE) {
      if (old[at + 4] === 0) continue;
      const record = old.subarray(at, at + STRIDE);
      const [a, b, c, d] = record as unknown as Key;
      this.#words.set(record, this.#place([a, b, c, d]) * STRIDE);
    }
  }
}

export const digest = (text: string): bigint => hash('sha256', text, 'buffer').readBigUInt64BE();

/** The 128 bits of a UUID. */
type Key = readonly [number, number, number, number];
const keyOf = (id: string): Key => {
  const part = (from: number, to: number): string => id.slice(from, to);
  return [
    parseInt(part(0, 8), 16) >>> 0,
    parseInt(part(9, 13) + part(14, 18), 16) >>> 0,
    parseInt(part(19, 23) + part(24, 28), 16) >>> 0,
    parseInt(part(28, 36), 16) >>> 0,
  ];
};

const halves = (wide: bigint): readonly [number, number] => [
  Number(wide >> 32n),
  Number(wide & 0xffff_ffffn),
];

/** 0 marks an empty slot. */
const FATES: readonly (Fate | undefined)[] = [
  undefined,
  'approved',
  'reverted',
  'reversal',
  'noted',
  'canceled',
];

/** The 32-bit words of a slot: id, outcome, two digests. */
const STRIDE = 9;
/** A power of two. */
const CAPACITY_FIRST = 1024;
const LOAD_MAX = 0.75;
const SPREAD = 0x9e37_79b1;
