import type { Revision, Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/** A record that the relay could not deliver to its topic, and why. */
export type DeadLetter = Readonly<{
  topic: string;
  ceId: string;
  /** The event of the log it was made from. */
  event: Readonly<{ journal: string; revision: Revision; id: Uuid }>;
  errorClass: string;
  message: string;
  firstFailureAt: Instant;
}>;
