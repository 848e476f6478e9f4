import { Unavailable } from './errors.ts';
import type { Scheduler } from './scheduler.ts';

/** The work was abandoned because the process ends; `stop` signals are aborted with this reason. */
export class Stopped extends Error {}

/** Runs work until it succeeds. Errors: those of the last attempt; Stopped. */
export type Retry = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The maximum pause before the second attempt and before any attempt, in milliseconds; pauses double in between. */
export type Backoff = Readonly<{ firstMs: number; maxMs: number }>;

type RetryOptions = Readonly<{
  scheduler: Scheduler;
  backoff: Backoff;
  /** Decides whether another attempt may succeed; without it, only Unavailable is retried. */
  isTransient?: (error: unknown) => boolean;
  /** Without bounds, work is retried until it succeeds. */
  attemptsMax?: number;
  withinMs?: number;
  stop?: AbortSignal;
}>;

export function createRetry({
  scheduler,
  backoff,
  isTransient = (error) => error instanceof Unavailable,
  attemptsMax = Infinity,
  withinMs = Infinity,
  stop,
}: RetryOptions): Retry {
  return async (work) => {
    const startedMs = scheduler.elapsedMs();
    for (let failures = 1; ; failures += 1) {
      try {
        return await work();
      } catch (error) {
        const isLast = failures >= attemptsMax || scheduler.elapsedMs() - startedMs > withinMs;
        if (isLast || !isTransient(error)) throw error;
      }
      await sleep(backoffMs(backoff, failures, scheduler.random()), scheduler, stop);
    }
  };
}

/**
 * Returns the pause after a number of failures, in milliseconds. Half of it is random, so that processes that collided
 * do not collide again.
 */
export const backoffMs = ({ firstMs, maxMs }: Backoff, failures: number, random: number): number =>
  (Math.min(firstMs * 2 ** (failures - 1), maxMs) * (1 + random)) / 2;

/** Sleeps for at least this long. Errors: the reason of the signal, as soon as it is aborted. */
export async function sleep(ms: number, scheduler: Scheduler, stop?: AbortSignal): Promise<void> {
  if (stop === undefined) return scheduler.sleep(ms);
  const untilMs = scheduler.elapsedMs() + ms;
  do {
    stop.throwIfAborted();
    // Timers cannot be canceled, so each is short and does not outlive the work for long.
    const leftMs = Math.max(0, untilMs - scheduler.elapsedMs());
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        stop.removeEventListener('abort', wake);
        resolve();
      };
      stop.addEventListener('abort', wake);
      void scheduler.sleep(Math.min(leftMs, SLICE_MS)).then(wake);
    });
  } while (scheduler.elapsedMs() < untilMs);
  stop.throwIfAborted();
}

const SLICE_MS = 5000;
