import type { DeadLetter } from '#src/kernel/dead-letter.ts';

/** The events of the streaming journal of a tenant. */
export type StreamingEvent = RecordDied;

/** The relay abandoned a record; the dead-letter topic has as much of it as it could accept. */
export type RecordDied = Readonly<{ type: 'RecordDied'; data: DeadLetter }>;
