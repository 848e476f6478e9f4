import type { Brand } from './brand.ts';
import { inOnePiece } from './in-one-piece.ts';

/** Microseconds since 1970-01-01T00:00:00Z. Exact: today's values need 51 of a double's 53 bits. */
export type Micros = Brand<number, 'Micros'>;

/** A moment as RFC 3339 text in UTC with six fractional digits, so that text order is time order. */
export type Instant = Brand<string, 'Instant'>;

/** Formats a moment. */
export function formatInstant(at: Micros): Instant {
  const ms = Math.floor(at / 1000);
  const micros = String(at - ms * 1000).padStart(3, '0');
  return inOnePiece(upToMs(ms), micros, 'Z') as Instant;
}

/** Remembers the last text, because consecutive events often share their millisecond. */
function upToMs(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString().slice(0, -1); // eslint-disable-line no-restricted-globals -- pure: formats a given number
    lastMs = ms;
  }
  return lastText;
}
let lastMs = NaN;
let lastText = '';

/** Reads what formatInstant wrote. */
export function parseInstant(text: Instant): Micros {
  const ms = Date.parse(text.slice(0, 23) + 'Z'); // eslint-disable-line no-restricted-globals -- pure: reads a given text
  return (ms * 1000 + Number(text.slice(23, 26))) as Micros;
}

/** Reads a text in exactly the form of formatInstant; undefined for any other text. */
export function exactInstant(text: string): Micros | undefined {
  if (text.length !== INSTANT_LENGTH) return undefined;
  if (!text.startsWith(lastMinute)) {
    const micros = parseInstant(text as Instant);
    if (!Number.isFinite(micros) || formatInstant(micros) !== text) return undefined;
    lastMinute = text.slice(0, SECONDS);
    lastMinuteMicros = micros - microsOfMinute(text)!;
    return micros;
  }
  const micros = microsOfMinute(text);
  return micros === undefined ? undefined : ((lastMinuteMicros + micros) as Micros);
}

/** Reads the seconds of a text, with their fraction. */
function microsOfMinute(text: string): number | undefined {
  let micros = 0;
  for (let at = SECONDS; at < INSTANT_LENGTH - 1; at += 1) {
    const digit = text.charCodeAt(at) - DIGIT_0;
    if (at === POINT && digit + DIGIT_0 === POINT_CODE) continue;
    if (at === POINT || !(digit >= 0 && digit <= 9)) return undefined;
    micros = micros * 10 + digit;
  }
  return micros < MINUTE_MICROS && text.endsWith('Z') ? micros : undefined;
}

/** Remembers the last minute, because consecutive events often share it. */
let lastMinute = '1970-01-01T00:00:';
let lastMinuteMicros = 0;
const INSTANT_LENGTH = '1970-01-01T00:00:00.000000Z'.length;
const SECONDS = '1970-01-01T00:00:'.length;
const POINT = SECONDS + 2;
const POINT_CODE = 46;
const DIGIT_0 = 48;
const MINUTE_MICROS = 60_000_000;

/** Reads any RFC 3339 time, to the millisecond; undefined if the text is none. */
export function parseTime(text: string): Micros | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const ms = Date.parse(text); // eslint-disable-line no-restricted-globals -- pure: reads a given text
  return Number.isNaN(ms) ? undefined : ((ms * 1000) as Micros);
}
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,12})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns whether a moment that a client names lies in the future. It compares milliseconds, because the client's clock may
 * be finer than the server's: its "now" may be later within the current millisecond.
 */
export const isFuture = (moment: Instant, now: Instant): boolean => inMs(moment) > inMs(now);

const inMs = (moment: Instant): string => moment.slice(0, 23);
