import { ConnectionLost, QuipuProblem } from './problem.ts';

export type RetryPolicy = Readonly<{
  retriesMax: number;
  signal?: AbortSignal | undefined;
}>;

/**
 * Waits before a request is repeated: as long as the server asks for, and longer after each failure. Throws the error
 * instead if it is not temporary, if there were too many, or if the server asks for more than a minute; and the reason
 * of the signal when that is aborted.
 */
export async function pauseAfter(
  error: unknown,
  failures: number,
  { retriesMax, signal }: RetryPolicy,
): Promise<void> {
  if (failures >= retriesMax || !isTemporary(error)) throw error;
  const asked = (error instanceof QuipuProblem ? error.retryAfterMs : undefined) ?? 0;
  if (asked > ASKED_MS_MAX) throw error;
  // Clients that failed together must not come back together.
  const backoffMs =
    Math.min(BACKOFF_MS * 2 ** failures, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);
  await sleep(Math.max(asked, backoffMs), signal);
}

/** A gateway that got no response says 502 or 504. */
export const isTemporaryStatus = (status: number): boolean =>
  status === 429 || (status >= 502 && status <= 504);

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  (error instanceof QuipuProblem && isTemporaryStatus(error.status));

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

const BACKOFF_MS = 200;
const BACKOFF_MS_MAX = 10_000;
const ASKED_MS_MAX = 60_000;
