import { isIntact } from '#src/kernel/event-hash.ts';
import { Damaged } from './errors.ts';
import type { StoredEvent } from './event-store.ts';

/** Builds the error for an event whose bytes do not match its hash, or whose hash does not continue the chain. */
export const damaged = ({ stream, revision }: StoredEvent): Damaged =>
  new Damaged(`Revision ${String(revision)} of ${stream} is not the event that was written there`);

/** Returns the event if its bytes match its hash, for callers that use it alone. Errors: Damaged. */
export function intact(stored: StoredEvent): StoredEvent {
  if (!isIntact(stored)) throw damaged(stored);
  return stored;
}
