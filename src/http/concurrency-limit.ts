import { refuse } from '#src/kernel/errors.ts';

/**
 * Runs a few tasks at once; a bounded number of others wait in order of arrival. More tasks on one thread would not
 * finish sooner, only keep more in memory.
 */
export interface ConcurrencyLimit {
  /** Resolves to the task's result. Errors: those of the task; TOO_MANY_REQUESTS when too many wait. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

export type ConcurrencyBounds = Readonly<{
  runningMax: number;
  waitingMax: number;
  /** Names the tasks in the message of a refusal, as a plural: `batches`. */
  tasks: string;
}>;

export function createConcurrencyLimit(bounds: ConcurrencyBounds): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;

  const start = (): Promise<void> | undefined => {
    if (running < bounds.runningMax) {
      running += 1;
      return undefined;
    }
    if (waiting.length >= bounds.waitingMax) throw tooMany(bounds.tasks);
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** Gives the place to the task that has waited longest. */
  const end = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async run(task) {
      await start();
      try {
        return await task();
      } finally {
        end();
      }
    },
  };
}

const tooMany = (tasks: string) =>
  refuse('TOO_MANY_REQUESTS', `More ${tasks} are waiting than can be held; try again shortly.`, {
    retryAfterSeconds: 1,
  });
