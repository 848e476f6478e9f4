import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

export type Simulation = Readonly<{
  clock: Clock;
  scheduler: Scheduler;
  /** A fraction in [0, 1) from the seed. */
  random: () => number;
  /** Fills a pool from the seed; for createIds. */
  fillRandom: (pool: Uint8Array) => void;
  /** Plays until the work settles, and answers what it did. Errors: its own, or that nothing is left to play. */
  run<Result>(work: Promise<Result>): Promise<Result>;
}>;

/**
 * A world of its own time and chance. Whoever waits is queued; `run` wakes one at a time, the earliest first,
 * and by lot among those due at the same moment. Time stands still while anyone works and jumps to the next
 * waking, so the same seed plays the same run, bit for bit, however long it sleeps.
 */
export function simulate(seed: number): Simulation {
  const random = seededRandom(seed);
  const waiting: Waking[] = [];
  let nowMs = 0;

  const wait = (ms: number): Promise<void> =>
    new Promise((wake) => push(waiting, { atMs: nowMs + Math.max(0, ms), lot: random(), wake }));

  return {
    clock: { now: () => (EPOCH_MICROS + Math.floor(nowMs * 1000)) as Micros },
    scheduler: { sleep: wait, yield: () => wait(0), elapsedMs: () => nowMs, random },
    random,
    fillRandom: (pool) => {
      for (let at = 0; at < pool.length; at += 1) pool[at] = Math.floor(random() * 256);
    },

    async run(work) {
      const state = { settled: false };
      const settle = (): void => {
        state.settled = true;
      };
      work.then(settle, settle);
      for (;;) {
        await quiet();
        if (state.settled) return work;
        const next = pop(waiting);
        if (next === undefined) throw new Error('Nobody is left to wake, and the work is not done');
        nowMs = next.atMs;
        next.wake();
      }
    },
  };
}

/** Mulberry32: small, fast, and the same on every machine. Not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Waking = Readonly<{ atMs: number; lot: number; wake: () => void }>;

/** Every promise that can settle by itself has settled. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const earlier = (a: Waking, b: Waking): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.lot < b.lot);

/** A binary heap, the earliest first. */
function push(heap: Waking[], waking: Waking): void {
  let at = heap.push(waking) - 1;
  while (at > 0) {
    const up = (at - 1) >> 1;
    const parent = heap[up];
    if (parent === undefined || !earlier(waking, parent)) break;
    heap[at] = parent;
    at = up;
  }
  heap[at] = waking;
}

function pop(heap: Waking[]): Waking | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const goRight = right !== undefined && earlier(right, left);
    const child = goRight ? right : left;
    if (!earlier(child, last)) break;
    heap[at] = child;
    at = 2 * at + (goRight ? 2 : 1);
  }
  heap[at] = last;
  return first;
}

/** 2026-01-01T00:00:00Z, when every simulation begins. */
const EPOCH_MICROS = 1_767_225_600_000_000;
