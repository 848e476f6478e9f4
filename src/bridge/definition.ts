import type { JournalEvent } from './journal-event.ts';
import type { Emission, Payload } from './payload.ts';

/** One entry of the event catalog (contract events §6). */
export type Definition = Readonly<{
  key: string;
  schemaVersion: string;
  /** A literal: topics are neither built from names nor versioned. */
  tail: string;
  enabled: boolean;
  /** The types of journal events that may yield it. */
  types: readonly string[];
  /** Returns the emissions in the order in which they are published; the result for an event never changes. */
  emissions: (event: JournalEvent) => readonly Emission[];
  /** Shortens a payload that exceeds the limit. */
  shortened?: (payload: Payload) => Payload;
}>;
