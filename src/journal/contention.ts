/**
 * How processes that write one journal at once take turns. Whoever appends without a pause always wins: its next
 * append leaves before anybody else has caught up with the last one. So after a turn a process stands aside for as
 * long as a turn takes, while it knows of others: it lost to them, found their events, or was told that they wait.
 */
export class TurnTaking {
  readonly #elapsedMs: () => number;
  #untilMs = 0;
  #turnMs = TURN_MS;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Others write here too. */
  met(): void {
    this.#untilMs = this.#elapsedMs() + SHARED_MS;
  }

  get isOn(): boolean {
    return this.#elapsedMs() < this.#untilMs;
  }

  /** How long a turn took: catching up, deciding, appending. */
  took(ms: number): void {
    this.#turnMs += (Math.min(ms, ASIDE_MS_MAX) - this.#turnMs) / 8;
  }

  /** How long to stand aside; by chance a little more or less, so that nobody keeps missing the gap. */
  asideMs(chance: number): number {
    return Math.min(this.#turnMs * (1 + chance), ASIDE_MS_MAX);
  }
}

const SHARED_MS = 2000;
const TURN_MS = 5;
const ASIDE_MS_MAX = 100;
