import type { Metadata } from '#src/events/shared.ts';

/** So many keys, of which the first is `k{from}`. */
export const keys = (count: number, from = 0): Metadata =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${from + n}`, from + n]));

/** Fifty keys as large as keys and values may be: of twice as many, a record has no room. */
export const bulky = (from = 0): Metadata =>
  Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`${'😀'.repeat(98)}${from + n}`, '😀'.repeat(2000)]),
  );
