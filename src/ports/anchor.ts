import { START, type EventStore, type Position, type StoredEvent } from './event-store.ts';

/**
 * The last event that derived data holds: where it stands in the log, and the hash that chains it to all before it.
 * Derived data is trusted as far as the log still has that very event there.
 */
export type Anchor = Readonly<{ position: Position; hash: string }>;

/** Of derived data that holds nothing yet. */
export const UNANCHORED: Anchor = { position: START, hash: '' };

/** The hash that closes an event's metadata; its id where there is none. */
export const anchorHash = ({ id, metadata }: Pick<StoredEvent, 'id' | 'metadata'>): string =>
  SEALED.test(metadata) ? metadata.slice(-66, -2) : id;

/** Why derived data does not follow from this log; undefined when it does. Errors: Unavailable. */
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
