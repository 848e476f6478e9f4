import type { Instant } from '#src/kernel/instant.ts';

/** The first and the last microsecond of a date; both are equal for a moment. */
export type Moment = Readonly<{ first: Instant; last: Instant }>;

/**
 * Reads `YYYY-MM-DD`, `YYYY-MM-DD hh:mm:ss` or RFC 3339 with up to nanoseconds (cut to microseconds), in UTC unless it
 * has an offset. Undefined when the text is none of these or no such day exists.
 */
export function readMoment(text: string): Moment | undefined {
  const parts = text.length > TEXT_MAX ? null : FORM.exec(text);
  if (parts === null) return undefined;
  const [, date = '', hours, minutes = '', seconds = '', fraction = '', zone] = parts;
  if (!isDay(date)) return undefined;
  if (hours === undefined) {
    return {
      first: instant(date, '00:00:00', '000000'),
      last: instant(date, '23:59:59', '999999'),
    };
  }
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const local = `${date}T${hours}:${minutes}:${seconds}`;
  const utc = zone === undefined || zone.length === 1 ? local : shifted(local, zone);
  if (utc === undefined) return undefined;
  const moment = instant(utc.slice(0, 10), utc.slice(11), fraction.slice(0, 6).padEnd(6, '0'));
  return { first: moment, last: moment };
}

/** Adds months: the result has the same day and time, or the last day of that month; undefined beyond the year 9999. */
export function monthsAfter(moment: Instant, months: number): Instant | undefined {
  const count = Number(moment.slice(0, 4)) * 12 + Number(moment.slice(5, 7)) - 1 + months;
  const year = Math.floor(count / 12);
  if (year > 9999) return undefined;
  const month = (count % 12) + 1;
  const day = Math.min(Number(moment.slice(8, 10)), daysIn(year, month));
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return (date + moment.slice(10)) as Instant;
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

const TEXT_MAX = 40;

const FORM =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?)?$/i;

const instant = (date: string, time: string, micros: string): Instant =>
  `${date}T${time}.${micros}Z` as Instant;

function isDay(date: string): boolean {
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7));
  const day = Number(date.slice(8, 10));
  return day >= 1 && day <= daysIn(year, month);
}

/** Returns the number of days in a month; 0 for a month that does not exist. */
function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Converts a time to UTC, to the second; undefined when the offset is invalid or the result leaves the years 0 to 9999.
 */
function shifted(local: string, zone: string): string | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  const ms = (hours * 60 + minutes) * 60_000;
  const utc = new Date(Date.parse(local + 'Z') + (zone.startsWith('-') ? ms : -ms)).toISOString();
  return /^\d/.test(utc) ? utc.slice(0, 19) : undefined;
}
