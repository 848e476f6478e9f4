import { parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import { memberText } from '#src/kernel/member-text.ts';
import type { NewEvent } from './event-store.ts';

/**
 * Returns whether an event was recorded so long before an instant that no event before it in the log was recorded at the
 * instant or later. The order of the log follows the times nearly: every process has a clock of its own, and an append
 * may take a while after its event was stamped.
 */
export function isWellBefore({ metadata }: Pick<NewEvent, 'metadata'>, instant: Micros): boolean {
  const recordedAt = memberText(metadata, 'recordedAt');
  return recordedAt !== undefined && parseInstant(recordedAt as Instant) < instant - DEVIATION_MAX;
}

/** The greatest difference between times of the log and its order, one minute in microseconds; see EventStore.positionAt. */
export const DEVIATION_MAX = 60_000_000;
