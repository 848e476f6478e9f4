import type { DeadLetter } from '#src/kernel/dead-letter.ts';

/** What happens in the streaming journal of a tenant. */
export type StreamingEvent = RecordDied;

/** A record was given up; its topic's dead letters have it, as far as they could take it. */
export type RecordDied = Readonly<{ type: 'RecordDied'; data: DeadLetter }>;
