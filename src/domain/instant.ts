import type { Brand } from './brand.ts';

/** Microseconds since 1970-01-01T00:00:00Z. Exact: today's values need 51 of a double's 53 bits. */
export type Micros = Brand<number, 'Micros'>;

/** A moment as RFC 3339 text in UTC with six fractional digits, so that text order is time order. */
export type Instant = Brand<string, 'Instant'>;

/** Writes a moment; source of the calendar is the platform's own, which here only formats its argument. */
export function formatInstant(at: Micros): Instant {
  const ms = Math.floor(at / 1000);
  const micros = String(at - ms * 1000).padStart(3, '0');
  return (new Date(ms).toISOString().slice(0, -1) + micros + 'Z') as Instant; // eslint-disable-line no-restricted-globals -- pure: formats a given number
}

/**
 * Reads a moment from outside: RFC 3339 with any offset, `YYYY-MM-DD hh:mm:ss` (UTC), or a day, which means its
 * first moment in UTC. Digits beyond microseconds are dropped. Undefined when it is none.
 */
export function readInstant(text: string): Micros | undefined {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [, date = '', time = '00:00:00', fraction = '', offset = 'Z'] = parts;
  const seconds = Date.parse(`${date}T${time}${offset.toUpperCase()}`); // eslint-disable-line no-restricted-globals -- pure: reads a given text
  // The platform takes 31 February for 3 March; a date that does not read back is none.
  if (Number.isNaN(seconds) || !isDay(date)) return undefined;
  return (seconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))) as Micros;
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]([01]\d:[0-5]\d:[0-5]\d|2[0-3]:[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})?)?$/;

function isDay(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

/** Reads what formatInstant wrote. */
export function parseInstant(text: Instant): Micros {
  const ms = Date.parse(text.slice(0, 23) + 'Z'); // eslint-disable-line no-restricted-globals -- pure: reads a given text
  return (ms * 1000 + Number(text.slice(23, 26))) as Micros;
}
