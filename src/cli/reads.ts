import type { JournalEvent } from '#src/resources/ledger/journal.ts';
import type { Difference } from '#src/verify/difference.ts';

/** An event and its journal, which the lines of a single journal do not name. */
export type Read = Readonly<{ journal: string | undefined; event: JournalEvent }>;

/** Events in order, in slices. A difference stands for an event that could not be read. */
export type Source = AsyncIterable<readonly (Read | Difference)[]>;

export const isDifference = (read: Read | Difference): read is Difference => 'what' in read;
