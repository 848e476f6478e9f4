import { refuse } from '#src/kernel/errors.ts';

/**
 * Lets so many work at once; others wait for their turn in the order they came, a bounded number of them. Work that
 * one thread does anyway is not done sooner when more of it is begun, it only keeps more in memory.
 */
export interface Turns {
  /** Answers how the work went. Errors: those of the work; TOO_MANY_REQUESTS when too many wait. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(atOnce: number, waitingMax: number): Turns {
  const waiting: (() => void)[] = [];
  let working = 0;

  const turn = (): Promise<void> | undefined => {
    if (working < atOnce) {
      working += 1;
      return undefined;
    }
    if (waiting.length >= waitingMax) throw tooMany();
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** Whoever waits longest takes the place over. */
  const done = (): void => {
    const next = waiting.shift();
    if (next === undefined) working -= 1;
    else next();
  };

  return {
    async take(work) {
      await turn();
      try {
        return await work();
      } finally {
        done();
      }
    },
  };
}

const tooMany = () =>
  refuse('TOO_MANY_REQUESTS', 'More batches are waiting than can be held; try again shortly.', {
    retryAfterSeconds: 1,
  });
