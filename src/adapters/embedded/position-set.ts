/** A set of positions of the log as numbers, at one bit each. */
export class PositionSet {
  #bits = new Uint8Array(1024);

  has(position: number): boolean {
    return ((this.#bits[position >>> 3] ?? 0) & (1 << (position & 7))) !== 0;
  }

  add(position: number): void {
    const at = position >>> 3;
    if (at >= this.#bits.length) {
      const more = new Uint8Array(2 * (at + 1));
      more.set(this.#bits);
      this.#bits = more;
    }
    this.#bits[at]! |= 1 << (position & 7);
  }
}
