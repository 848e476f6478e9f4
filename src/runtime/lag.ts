import { START, type Position } from '#src/ports/event-store.ts';

/** Measures how long the oldest acknowledged append has been waiting to be shown, with constant work per call. */
export type Lag = Readonly<{
  acknowledged(position: Position): void;
  /** Reports that everything up to this position is shown. */
  projected(through: Position): void;
  /** Stops waiting for any append. */
  forget(): void;
  ms(): number;
}>;

export function createLag(elapsedMs: () => number): Lag {
  /**
   * Stretches of appends, oldest first, from index `first` on. Appends of one stretch of time share an entry, so the
   * list stays short.
   */
  let stretches: { through: Position; sinceMs: number }[] = [];
  let first = 0;
  let shown = START;

  return {
    acknowledged(position) {
      if (position <= shown) return; // The projector was faster than the acknowledgement.
      const nowMs = elapsedMs();
      const last = stretches.at(-1);
      if (last === undefined || stretches.length === first || nowMs - last.sinceMs >= STRETCH_MS) {
        stretches.push({ through: position, sinceMs: nowMs });
      } else if (position > last.through) {
        last.through = position;
      }
    },

    projected(through) {
      if (through > shown) shown = through;
      while ((stretches[first]?.through ?? LAST) <= shown) first += 1;
      if (first < COMPACT_FROM) return;
      stretches = stretches.slice(first);
      first = 0;
    },

    forget() {
      stretches = [];
      first = 0;
    },

    ms() {
      const oldest = stretches[first];
      return oldest === undefined ? 0 : elapsedMs() - oldest.sinceMs;
    },
  };
}

/** The accuracy of the lag, in milliseconds. */
const STRETCH_MS = 10;
const COMPACT_FROM = 1000;
/** Sorts after every position. */
const LAST = '\u{10ffff}';
