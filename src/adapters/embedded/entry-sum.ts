/**
 * An order-independent checksum over the rows of the journal index, so that every batch can update it: a row that is
 * lost, invented or changed shows in it. Two numbers of 32 bits.
 */
export class EntrySum {
  #a: number;
  #b: number;

  constructor(a = 0, b = 0) {
    this.#a = a | 0;
    this.#b = b | 0;
  }

  get parts(): readonly [number, number] {
    return [this.#a, this.#b];
  }

  equals(other: EntrySum): boolean {
    return this.#a === other.#a && this.#b === other.#b;
  }

  add(row: IndexRow): void {
    this.#mix(row, 1);
  }

  remove(row: IndexRow): void {
    this.#mix(row, -1);
  }

  /** FNV-1a with two primes; the last step spreads the revision over all bits. */
  #mix({ kind, journal, key, revision }: IndexRow, sign: 1 | -1): void {
    let a = 0x811c9dc5 ^ kind;
    let b = 0x050c5d1f ^ journal;
    if (typeof key === 'string') {
      for (let at = 0; at < key.length; at += 1) {
        const unit = key.charCodeAt(at);
        a = Math.imul(a ^ unit, 0x01000193);
        b = Math.imul(b ^ unit, 0x5bd1e995);
      }
    } else {
      for (const byte of key) {
        a = Math.imul(a ^ byte, 0x01000193);
        b = Math.imul(b ^ byte, 0x5bd1e995);
      }
    }
    a = Math.imul((a ^ (a >>> 15) ^ journal) + revision, 0x2c1b3c6d);
    b = Math.imul((b ^ (b >>> 13) ^ kind) - revision, 0x297a2d39);
    a ^= (a >>> 12) + Math.floor(revision / 0x1_0000_0000);
    b ^= b >>> 15;
    this.#a = (this.#a + sign * a) | 0;
    this.#b = (this.#b + sign * b) | 0;
  }
}

export type IndexRow = Readonly<{
  kind: number;
  journal: number;
  key: string | Uint8Array;
  revision: number;
}>;
