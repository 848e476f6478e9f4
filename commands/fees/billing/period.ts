import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';

/** A billing period in whole days, UTC: `first` and `last` belong to it, `before` is the day before it. */
export type BillingPeriod = Readonly<{ first: string; last: string; before: string }>;

/** Reads a month (2026-01), an ISO week (2026-W05) or a day (2026-01-31); undefined if the calendar has no such period. */
export function readPeriod(text: string): BillingPeriod | undefined {
  const week = /^(\d{4})-W(\d\d)$/.exec(text);
  if (week !== null) return weekOf(week[1]!, Number(week[2]));
  if (/^\d{4}-\d\d$/.test(text)) {
    const start = dayAt(`${text}-01`);
    if (start === undefined) return undefined;
    // No month has more than 31 days, so this day is in the next one, whose first day is the end.
    const next = textOf(start + 31).slice(0, 8);
    return between(start, dayAt(`${next}01`) ?? start + 31);
  }
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? dayAt(text) : undefined;
  return start === undefined ? undefined : between(start, start + 1);
}

/** Weeks begin on Monday; the first one of a year has its fourth of January, and so each has its Thursday in its year. */
function weekOf(year: string, week: number): BillingPeriod | undefined {
  const fourth = dayAt(`${year}-01-04`);
  if (fourth === undefined || week < 1) return undefined;
  const monday = fourth - weekday(fourth) + (week - 1) * 7;
  return textOf(monday + 3).startsWith(`${year}-`) ? between(monday, monday + 7) : undefined;
}

/** Periods whose days do not all lie in the years 0000 to 9999 do not exist. */
function between(start: number, end: number): BillingPeriod | undefined {
  const [first, last] = [textOf(start), textOf(end - 1)];
  if (first.length > DATE || last.length > DATE) return undefined;
  return { first, last, before: textOf(start - 1) };
}

/** Returns the days since 1970-01-01; undefined for a date that does not exist. */
function dayAt(date: string): number | undefined {
  const micros = parseInstant(`${date}T00:00:00.000000Z` as Instant);
  const day = micros / DAY;
  return Number.isInteger(day) && textOf(day) === date ? day : undefined;
}

/** Returns 0 for Monday: 1970-01-01 was a Thursday. */
const weekday = (day: number): number => (((day + 3) % 7) + 7) % 7;

const textOf = (day: number): string => formatInstant((day * DAY) as Micros).split('T')[0]!;

const DAY = 86_400_000_000;
const DATE = '2026-01-31'.length;
