import { isIntact } from '#src/kernel/event-hash.ts';
import { Damaged } from './errors.ts';
import type { StoredEvent } from './event-store.ts';

/** What to say of an event whose bytes do not match its hash, or that does not follow the one before it. */
export const damaged = ({ stream, revision }: StoredEvent): Damaged =>
  new Damaged(`Revision ${String(revision)} of ${stream} is not the event that was written there`);

/** The event itself, for what is decided or answered from it alone. Errors: Damaged. */
export function intact(stored: StoredEvent): StoredEvent {
  if (!isIntact(stored)) throw damaged(stored);
  return stored;
}
