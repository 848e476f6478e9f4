import { Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** A repetition was given up because the process ends. */
export class Stopped extends Error {}

/** Repeats work while a store is away, for as long as it takes, until told to give up. Errors: the work's own. */
export type Retry = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createRetry(scheduler: Scheduler, givesUp: () => boolean): Retry {
  return async (work) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        if (givesUp()) throw new Stopped();
        await scheduler.sleep(Math.min(RETRY_MS * 2 ** attempt, RETRY_MS_MAX));
      }
    }
  };
}

const RETRY_MS = 50;
const RETRY_MS_MAX = 1000;
