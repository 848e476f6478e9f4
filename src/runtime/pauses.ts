import type { Scheduler } from '#src/ports/scheduler.ts';
import { Stopped } from './retry.ts';

/** Waiting that ends when the work does. */
export type Pauses = Readonly<{
  /** Errors: GivenUp, at once, when all is ended. */
  pause(ms: number): Promise<void>;
  /** Nobody waits any more, from now on. */
  end(): void;
  ended(): boolean;
}>;

export function createPauses(scheduler: Scheduler): Pauses {
  const waking = new Set<() => void>();
  let over = false;
  const ended = (): boolean => over;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        waking.delete(wake);
        resolve();
      };
      waking.add(wake);
      void scheduler.sleep(ms).then(wake);
    });

  return {
    async pause(ms) {
      const untilMs = scheduler.elapsedMs() + ms;
      do {
        if (ended()) throw new Stopped();
        // A timer cannot be taken back: short ones, so that none outlives the work for long.
        await sleep(Math.min(SLICE_MS, Math.max(0, untilMs - scheduler.elapsedMs())));
      } while (scheduler.elapsedMs() < untilMs);
      if (ended()) throw new Stopped();
    },
    end() {
      over = true;
      for (const wake of [...waking]) wake();
    },
    ended,
  };
}

const SLICE_MS = 5000;
