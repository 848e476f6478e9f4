import { START, type EventStore, type Position, type StoredEvent } from './event-store.ts';

/**
 * The last event that derived data holds: its position in the log, and the hash that chains it to all events before it.
 * Derived data is trusted only while the log has the same event at that position.
 */
export type Anchor = Readonly<{ position: Position; hash: string }>;

/** The anchor of derived data that is empty. */
export const UNANCHORED: Anchor = { position: START, hash: '' };

/** Returns the hash that closes an event's metadata, or the event's id if it has none. */
export const anchorHash = ({ id, metadata }: Pick<StoredEvent, 'id' | 'metadata'>): string =>
  SEALED.test(metadata) ? metadata.slice(-66, -2) : id;

/** Returns why derived data does not follow from this log, or undefined if it does. Errors: Unavailable. */
export async function anchorFlaw(
  log: Pick<EventStore, 'at' | 'end'>,
  { position, hash }: Anchor,
): Promise<string | undefined> {
  if (position === START) return undefined;
  const event = await log.at(position);
  if (event !== undefined && anchorHash(event) === hash) return undefined;
  const end = await log.end();
  return position > end
    ? `it is ahead of the log (${position}; the log ends at ${end || 'its beginning'}): the log is an older copy`
    : `the log holds another event at ${position} than the one it was built from`;
}

const SEALED = /"hash":"[0-9a-f]{64}"\}$/;
