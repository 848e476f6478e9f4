/** Chance that can be played again: the same seed gives the same run (mulberry32). */
export type Chance = Readonly<{
  /** At least 0, below 1. */
  unit: () => number;
  /** A whole number from `min` to `max`, both included. */
  int: (min: number, max: number) => number;
  /** True with this probability. */
  is: (probability: number) => boolean;
  pick: <T>(from: readonly T[]) => T;
  digits: (count: number) => string;
}>;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (min: number, max: number): number => min + Math.floor(unit() * (max - min + 1));
  return {
    unit,
    int,
    is: (probability) => unit() < probability,
    pick: (from) => from[int(0, from.length - 1)]!,
    digits(count) {
      let text = '';
      while (text.length < count) text += String(int(0, 999_999_999)).padStart(9, '0');
      return text.slice(0, count);
    },
  };
}

/** The seed of this run: SEED of the environment, or the one that never changes. */
export const seedOfRun = (usual: number): number => Number(process.env['SEED'] ?? usual);

/** How often a random test runs: a tenth of the full count in every run, all of it in full-runs.long.ts. */
export const runsOf = (full: number): number =>
  process.env['FULL_RUNS'] === undefined ? Math.ceil(full / 10) : full;
