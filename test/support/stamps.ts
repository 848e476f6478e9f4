import type { IdSource, Stamp } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant, type Instant } from '#src/kernel/instant.ts';

/** The moment of every decision in a spec, unless it says otherwise. */
export const NOW = '2026-01-05T10:00:00.000000Z' as Instant;

/** The n-th id that countingIds mints, and the n-th id of an aggregate with parts. */
export const nthId = (n: number): Uuid =>
  `00000000-0000-7000-9000-${n.toString(16).padStart(12, '0')}` as Uuid;
export const nthWhole = (n: number): Uuid =>
  `00000000-0000-7000-8000-${n.toString(16).padStart(8, '0')}0000` as Uuid;

/** Ids that tell in which order they were minted, from 1; each kind counts for itself. */
export function countingIds(): IdSource {
  let ids = 0;
  let wholes = 0;
  return { next: () => nthId((ids += 1)), nextWhole: () => nthWhole((wholes += 1)) };
}

export function stampAt(instant: Instant = NOW, ids: IdSource = countingIds()): Stamp {
  return { at: parseInstant(instant), instant, ids };
}
