/**
 * Detects a journal index that has lost keys: it counts how often the index lacks a key that the key filter has, and
 * compares that with the known error rate of the filter.
 */
export class FilterWatch {
  #asked = 0;
  #lacking = 0;
  /** Keys of decisions that were undone: they stay in the filter but were never recorded. */
  readonly #takenBack = new Set<string>();

  /** Counts a question to the filter for a key that is not in memory. */
  asked(): void {
    this.#asked += 1;
  }

  /** Ignores keys that were never recorded. */
  excuse(keys: Iterable<string>): void {
    for (const key of keys) this.#takenBack.add(key);
    for (const oldest of this.#takenBack) {
      if (this.#takenBack.size <= EXCUSED_MAX) break;
      this.#takenBack.delete(oldest);
    }
  }

  /**
   * Counts a key that the filter has and the index lacks; `rate` is the error rate of the filter. Returns whether that
   * happened too often to be errors of the filter.
   */
  lacks(key: string, rate: number): boolean {
    if (this.#takenBack.has(key)) return false;
    this.#lacking += 1;
    const isAlarm = lnTail(this.#lacking, this.#asked * rate) < LN_CHANCE;
    if (isAlarm || this.#asked > WINDOW) {
      this.#asked /= 2;
      this.#lacking = isAlarm ? 0 : this.#lacking / 2;
    }
    return isAlarm;
  }
}

/** Chernoff's bound on the logarithm of the chance that an event expected `mean` times occurs `times` times or more. */
const lnTail = (times: number, mean: number): number =>
  times <= mean ? 0 : times - mean - times * Math.log(times / Math.max(mean, Number.MIN_VALUE));

/** The logarithm of one in 10¹². */
const LN_CHANCE = -27.6;
/** The number of look-ups after which older ones count half. */
const WINDOW = 65_536;
const EXCUSED_MAX = 10_000;
