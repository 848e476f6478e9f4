import type { JournalEvent } from '#src/resources/journal.ts';
import type { Difference } from '#src/verify/difference.ts';

/** One event with its journal, which lines of a single journal do not name. */
export type Read = Readonly<{ journal: string | undefined; event: JournalEvent }>;

/** Events in order, some at a time; a difference is what could not even be read as one. */
export type Source = AsyncIterable<readonly (Read | Difference)[]>;

export const isDifference = (read: Read | Difference): read is Difference => 'what' in read;
