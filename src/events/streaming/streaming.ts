import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** What happens in the streaming journal of a tenant. */
export type StreamingEvent = RecordDied;

/** A record was given up; its topic's dead letters have it, as far as they could take it. */
export type RecordDied = Readonly<{
  type: 'RecordDied';
  data: Readonly<{
    topic: string;
    ceId: string;
    /** The event of the log it was made from. */
    event: Readonly<{ journal: string; revision: Revision; id: Uuid }>;
    errorClass: string;
    message: string;
    firstFailureAt: Instant;
  }>;
}>;
