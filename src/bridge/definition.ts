import type { JournalEvent } from './journal-event.ts';
import type { Emission, Payload } from './payload.ts';

/** One entry of the catalogue (contract events §6). */
export type Definition = Readonly<{
  key: string;
  schemaVersion: string;
  /** A literal: topics are never built from names, nor versioned. */
  tail: string;
  enabled: boolean;
  /** The events of the log that may yield it. */
  types: readonly string[];
  /** In the order in which they are published; what an event yields never changes. */
  emissions: (event: JournalEvent) => readonly Emission[];
  /** What is left of a payload over the limit. */
  shortened?: (payload: Payload) => Payload;
}>;
