import { refuse, type Refusal } from '#src/kernel/errors.ts';

/**
 * Counts the bytes of request bodies and replies that this process holds, and reports when there is no room for more. A
 * body costs its bytes while it arrives and a multiple of them once it is read, because the values, the events and the
 * reply made from it exist at the same time. A part is set aside for small bodies, so that large ones cannot keep them
 * out; nothing is reserved for a Content-Length alone.
 */
export class MemoryBudget {
  readonly limit: number;
  #held = 0;

  constructor(limitBytes: number) {
    this.limit = limitBytes;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes bytes of a body that arrives; `bodyBytes` counts all of it so far. Returns false when there is no room. */
  takeArriving(bytes: number, bodyBytes: number): boolean {
    return this.#take(
      bytes,
      bodyBytes > SMALL_BODY_BYTES ? this.limit * ARRIVING_PART : this.limit,
    );
  }

  /** Takes the cost of a whole body beyond its bytes while it is processed. Returns false when there is no room. */
  takeExpansion(bytes: number, bodyBytes: number): boolean {
    return this.#take(bytes, bodyBytes > SMALL_BODY_BYTES ? this.limit * LARGE_PART : this.limit);
  }

  /** Counts bytes that already exist, such as a reply that its client does not read. */
  add(bytes: number): void {
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Only small bodies and small replies still have room. */
  get isFull(): boolean {
    return this.#held > this.limit * LARGE_PART;
  }

  /** Returns the cost of a body beyond its bytes, capped so that any body has room when nothing else is held. */
  expansionOf(bodyBytes: number): number {
    return Math.min(bodyBytes * (EXPANSION - 1), this.limit * (LARGE_PART - ARRIVING_PART));
  }

  #take(bytes: number, limit: number): boolean {
    if (this.#held + bytes > limit) return false;
    this.#held += bytes;
    return true;
  }
}

/** Refuses a body that has no room in memory; the same request may be accepted a moment later. */
export const noRoom = (): Refusal =>
  refuse('UNAVAILABLE', 'More request bodies and replies are in memory than it has room for.', {
    retryAfterSeconds: 1,
  });

/** Bodies and replies up to this size are small; a transfer has about 400 bytes. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The size of the objects that hold a piece of a body. */
export const PIECE_BYTES = 256;
/** The lowest limit under which the largest body, 8 MiB, still has room. */
export const MEMORY_LIMIT_MIN = 32 * 1024 * 1024;

/** The reply to a batch of transfers of two legs has 11 times its bytes; values and events exist in addition. */
const EXPANSION = 16;
const ARRIVING_PART = 0.4;
const LARGE_PART = 0.75;
