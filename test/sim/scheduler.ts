import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Random } from './random.ts';

/** Whose wait it is: a process, which may die, or something that outlives it. */
export type Owner = Readonly<{ name: string }>;

type Wait = Readonly<{ owner: Owner; dueMs: number; wake: () => void }>;

/**
 * Holds everything that waits, anywhere in the simulated world, and lets one go at a time: any of those that
 * are due, whatever their order. Time moves on a little by random, and jumps when nobody is due.
 */
export class SimScheduler {
  readonly #random: Random;
  #due: Wait[] = [];
  #sleeping: Wait[] = [];
  #nowMs = 0;
  /** Some waits take long for no reason. */
  #isCalm = false;
  readonly #gone = new WeakSet<Owner>();

  constructor(random: Random) {
    this.#random = random;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get waiting(): number {
    return this.#due.length + this.#sleeping.length;
  }

  scheduler(owner: Owner): Scheduler {
    return {
      sleep: (ms) => this.#wait(owner, ms),
      yield: () => this.#wait(owner, 0),
      elapsedMs: () => this.#nowMs,
      random: () => this.#random.fraction(),
    };
  }

  #wait(owner: Owner, ms: number): Promise<void> {
    // What a dead process still hears of must not revive it.
    if (this.#gone.has(owner)) return new Promise(() => {});
    const slowMs = !this.#isCalm && this.#random.oneIn(30) ? this.#random.below(SLOW_MS) : 0;
    return new Promise((wake) => {
      const wait = { owner, dueMs: this.#nowMs + ms + slowMs, wake };
      (ms + slowMs > 0 ? this.#sleeping : this.#due).push(wait);
    });
  }

  /** Wakes one of those that are due; answers whose it was, undefined when nobody waits at all. */
  step(): string | undefined {
    if (this.#random.oneIn(4)) this.#passTime(this.#random.below(12));
    if (this.#due.length === 0) this.#jump();
    if (this.#due.length === 0) return undefined;
    const at = this.#random.below(this.#due.length);
    const [wait] = this.#due.splice(at, 1);
    wait?.wake();
    return wait?.owner.name;
  }

  calm(): void {
    this.#isCalm = true;
  }

  /** Nobody of this owner is ever woken again. */
  drop(owner: Owner): void {
    this.#gone.add(owner);
    this.#forget(owner);
  }

  #forget(owner: Owner): void {
    this.#due = this.#due.filter((wait) => wait.owner !== owner);
    this.#sleeping = this.#sleeping.filter((wait) => wait.owner !== owner);
  }

  /** Whatever of this owner is under way gets where it goes, at once. */
  hurry(owner: Owner): void {
    const waits = [...this.#due, ...this.#sleeping].filter((wait) => wait.owner === owner);
    this.#forget(owner);
    for (const { wake } of waits) wake();
  }

  #passTime(ms: number): void {
    this.#nowMs += ms;
    const due = this.#sleeping.filter(({ dueMs }) => dueMs <= this.#nowMs);
    if (due.length === 0) return;
    this.#sleeping = this.#sleeping.filter(({ dueMs }) => dueMs > this.#nowMs);
    this.#due.push(...due);
  }

  #jump(): void {
    if (this.#sleeping.length === 0) return;
    const earliest = Math.min(...this.#sleeping.map(({ dueMs }) => dueMs));
    this.#passTime(earliest - this.#nowMs);
  }
}

const SLOW_MS = 200;

/** Every promise that can settle by itself has settled. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
