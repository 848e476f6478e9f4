/**
 * Collects texts as UTF-8. A long reply that is concatenated from texts is copied whole each time that it is measured,
 * joined to its headers, or encoded; a text that is added here is copied once.
 */
export class TextBytes {
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;

  /** Grows beyond the expected bytes if it has to. */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes);
  }

  add(text: string): void {
    const needed = this.#length + UTF8_BYTES_MAX * text.length;
    if (needed > this.#bytes.length) this.#grow(2 * needed);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** The bytes of all texts; they are no copy. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** A UTF-16 code unit takes at most three bytes. */
const UTF8_BYTES_MAX = 3;
