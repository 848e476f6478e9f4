import { formatInstant, parseInstant, type Instant, type Micros } from '#src/domain/instant.ts';

/** A stretch of time in whole seconds: what begins or ends within one takes it as a whole. */
export type Window = Readonly<{
  /** Inclusive. */
  from: Instant;
  /** Exclusive. */
  to: Instant;
}>;

/** From the second of one moment to that of the other, both included. */
export const windowOf = (first: Instant, last: Instant): Window => ({
  from: wholeSecond(parseInstant(first)),
  to: wholeSecond((parseInstant(last) + SECOND) as Micros),
});

/** The same, up to another moment: its second is left out if it begins with it. */
export const windowUpTo = (first: Instant, end: Instant): Window =>
  windowOf(first, formatInstant((parseInstant(end) - 1) as Micros));

/** The days in UTC that it touches, in order. */
export function daysOf({ from, to }: Window): string[] {
  const days: string[] = [];
  const end = parseInstant(to);
  for (let at = startOfDay(from); at < end; at += DAY) {
    days.push(formatInstant(at as Micros).slice(0, 10));
  }
  return days;
}

/** Whether all of a day lies in it. */
export const holdsDay = ({ from, to }: Window, day: string): boolean =>
  from <= at(day) && formatInstant((parseInstant(at(day)) + DAY) as Micros) <= to;

const startOfDay = (of: Instant): number => parseInstant(at(of.slice(0, 10)));
const at = (day: string): Instant => `${day}T00:00:00.000000Z` as Instant;
const wholeSecond = (moment: Micros): Instant =>
  formatInstant((Math.floor(moment / SECOND) * SECOND) as Micros);

const SECOND = 1_000_000;
export const DAY = 86_400 * SECOND;
