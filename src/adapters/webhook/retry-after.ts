/**
 * Reads a Retry-After header, a number of seconds or an HTTP date, as milliseconds from now; undefined if it is neither.
 * Receivers cannot postpone a message by more than a day (contract events §12.3).
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const given = header?.trim() ?? '';
  const isSeconds = /^\d{1,10}$/.test(given);
  const ms = isSeconds
    ? Number(given) * 1000
    : HTTP_DATE.test(given)
      ? Date.parse(given) - nowMs
      : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), POSTPONED_MS_MAX);
}

/** The format that is sent today; the obsolete ones of RFC 9110 §5.6.7 end in it or in a year. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const POSTPONED_MS_MAX = 86_400_000;
