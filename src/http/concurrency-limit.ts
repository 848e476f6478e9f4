import { refuse } from '#src/kernel/errors.ts';

/**
 * Runs as many tasks at once as their bytes allow; a bounded number of others wait in order of arrival. More tasks on one
 * thread would not finish sooner. They would only keep more values alive, which the collector of young objects then copies.
 */
export interface ConcurrencyLimit {
  /**
   * Resolves when the task, which is made from this many bytes, is done. Errors: those of the task; TOO_MANY_REQUESTS when
   * too many wait, or when its turn comes too late.
   */
  run(bytes: number, task: () => Promise<void> | undefined): Promise<void>;
}

export type ConcurrencyBounds = Readonly<{
  /** Limits the tasks that run at once; two always may. */
  bytesMax: number;
  waitingMax: number;
  /** Tasks that waited longer are refused, because their callers have given up. */
  waitMsMax: number;
  /** Names the tasks in the message of a refusal, as a plural: `batches`. */
  tasks: string;
}>;

export function createConcurrencyLimit(
  bounds: ConcurrencyBounds,
  elapsedMs: () => number = () => performance.now(),
): ConcurrencyLimit {
  const waiting: WaitingTask[] = [];
  let running = 0;
  let runningBytes = 0;

  const hasRoom = (bytes: number): boolean =>
    running < RUNNING_MIN || runningBytes + bytes <= bounds.bytesMax;

  const count = (tasks: 1 | -1, bytes: number): void => {
    running += tasks;
    runningBytes += tasks * bytes;
  };

  /** Resolves when the task may start; undefined if it may at once. */
  const turn = (bytes: number): Promise<void> | undefined => {
    if (waiting.length === 0 && hasRoom(bytes)) {
      count(1, bytes);
      return undefined;
    }
    if (waiting.length >= bounds.waitingMax) throw tooMany(bounds.tasks);
    return new Promise((start, reject) => {
      waiting.push({ bytes, sinceMs: elapsedMs(), start, reject });
    });
  };

  /** Starts the tasks that have waited longest, as long as there is room. */
  const startWaiting = (): void => {
    const lateMs = elapsedMs() - bounds.waitMsMax;
    for (let next; (next = waiting[0]) !== undefined;) {
      const isLate = next.sinceMs < lateMs;
      if (!isLate && !hasRoom(next.bytes)) return;
      waiting.shift();
      if (isLate) {
        next.reject(tooMany(bounds.tasks));
      } else {
        count(1, next.bytes);
        next.start();
      }
    }
  };

  return {
    async run(bytes, task) {
      const itsTurn = turn(bytes);
      if (itsTurn !== undefined) await itsTurn;
      try {
        await task();
      } finally {
        count(-1, bytes);
        startWaiting();
      }
    },
  };
}

type WaitingTask = Readonly<{
  bytes: number;
  sinceMs: number;
  start: () => void;
  reject: (error: Error) => void;
}>;

/** One task runs while the other waits for a disk. */
const RUNNING_MIN = 2;

const tooMany = (tasks: string) =>
  refuse('TOO_MANY_REQUESTS', `More ${tasks} are waiting than can be held; try again shortly.`, {
    retryAfterSeconds: 1,
  });
