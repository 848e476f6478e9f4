/** The attempts of a delivery before it dies (contract events §12.3). */
export const ATTEMPTS_MAX = 10;

/**
 * Returns the pause after a number of failed attempts, in milliseconds. It varies by a tenth in either direction, and
 * is at least as long as the response asked for, within a day.
 */
export function pauseMs(failures: number, random: number, retryAfterMs = 0): number {
  const base = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
  const jittered = base * (1 - JITTER + 2 * JITTER * random);
  return Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PAUSES_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
const JITTER = 0.1;
const RETRY_AFTER_MS_MAX = 24 * HOUR;
