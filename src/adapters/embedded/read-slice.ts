/**
 * How long a walk may go on before it pauses. What runs inside SQLite cannot pause: the function that parses bodies
 * asks before each of them, and ends its statement when the slice is over. The walk then tries fewer rows at once, and
 * one row without a bound, so that it always comes on.
 */
export class ReadSlice {
  #endsMs = Infinity;
  #isBinding = true;

  begin(ms: number): void {
    this.#endsMs = performance.now() + ms;
  }

  /** Before a statement over so many rows. */
  bind(rows: number): void {
    this.#isBinding = rows > 1;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** Errors: SliceOver. */
  check(): void {
    if (this.#isBinding && this.isOver) throw new SliceOver();
  }
}

/** Ends a statement in the middle; whatever it had found is lost. */
export class SliceOver extends Error {}
