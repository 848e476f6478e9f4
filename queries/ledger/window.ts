import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';

/**
 * A period in whole seconds, as texts like 2026-01-05T10:00:00. Both ends are inclusive; a partial second counts as a
 * whole one.
 */
export type Window = Readonly<{ first: string; last: string }>;

/** From the second of one instant to the second of another, both inclusive. */
export const windowOf = (first: Instant, last: Instant): Window => ({
  first: secondOf(first),
  last: secondOf(last),
});

/** Like windowOf, with an exclusive end: a second that starts at `end` is left out. */
export const windowUpTo = (first: Instant, end: Instant): Window =>
  windowOf(first, formatInstant((parseInstant(end) - 1) as Micros));

/** The ends as responses show them: the start is inclusive, the end exclusive. */
export const endsOf = ({ first, last }: Window): Readonly<{ from: Instant; to: Instant }> => ({
  from: momentOf(first),
  to: formatInstant((parseInstant(momentOf(last)) + SECOND) as Micros),
});

/**
 * The days in UTC that the window touches, in order. Call it for bounded windows only: there are three million days.
 */
export function daysOf({ first, last }: Window): string[] {
  const days: string[] = [];
  const end = parseInstant(momentOf(last));
  for (let at: number = parseInstant(midnight(dayOf(first))); at <= end; at += DAY) {
    days.push(dayOf(formatInstant(at as Micros)));
  }
  return days;
}

export const dayOf = (second: string): string => second.slice(0, 10);

/** The days that the window covers partly: none, one or two. */
export const partsOf = ({ first, last }: Window): string[] => [
  ...new Set([
    ...(first.endsWith('T00:00:00') ? [] : [dayOf(first)]),
    ...(last.endsWith('T23:59:59') ? [] : [dayOf(last)]),
  ]),
];

const secondOf = (moment: Instant): string => moment.slice(0, 19);
const momentOf = (second: string): Instant => `${second}.000000Z` as Instant;
const midnight = (day: string): Instant => `${day}T00:00:00.000000Z` as Instant;

const SECOND = 1_000_000;
export const DAY = 86_400 * SECOND;
