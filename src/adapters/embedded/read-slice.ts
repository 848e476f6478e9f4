/**
 * The time slice of a walk, after which it pauses. SQLite cannot pause inside a statement: the function that parses
 * bodies checks before each of them, and aborts its statement when the slice is over. The walk then tries fewer rows at
 * once, and one row without a limit, so that it always makes progress.
 */
export class ReadSlice {
  #endsMs = Infinity;
  #isBinding = true;

  begin(ms: number): void {
    this.#endsMs = performance.now() + ms;
  }

  /** Called before a statement over `rows` rows. */
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

/** Aborts a statement in the middle; its results so far are lost. */
export class SliceOver extends Error {}
