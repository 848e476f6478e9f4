/**
 * Counts how often the journal index lacks a key that the key filter has. The filter errs at a rate that is known; an
 * index that lacks more keys than that has lost some.
 */
export class FilterWatch {
  #asked = 0;
  #lacking = 0;
  /** Keys of decisions that were taken back: the filter has them for ever, the log never. */
  readonly #takenBack = new Set<string>();

  /** The filter was asked for a key that is not in memory. */
  asked(): void {
    this.#asked += 1;
  }

  /** These were never recorded. */
  excuse(keys: Iterable<string>): void {
    for (const key of keys) this.#takenBack.add(key);
    for (const oldest of this.#takenBack) {
      if (this.#takenBack.size <= EXCUSED_MAX) break;
      this.#takenBack.delete(oldest);
    }
  }

  /**
   * The filter has the key and the index lacks it; `rate` is how often the filter is wrong by now. Answers whether that
   * has happened so often that the filter cannot be the reason.
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

/** Chernoff's bound: ln of the chance that what is expected `mean` times happens `times` times or more. */
const lnTail = (times: number, mean: number): number =>
  times <= mean ? 0 : times - mean - times * Math.log(times / Math.max(mean, Number.MIN_VALUE));

/** One in 10¹². */
const LN_CHANCE = -27.6;
/** Look-ups after which older ones count half. */
const WINDOW = 65_536;
const EXCUSED_MAX = 10_000;
