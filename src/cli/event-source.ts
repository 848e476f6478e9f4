import type { JournalEventView } from '#src/resources/ledger/journal.ts';
import type { Difference } from '#src/verify/difference.ts';

/** An event and its journal, which the lines of a single journal do not name. */
export type SourceItem = Readonly<{ journal: string | undefined; event: JournalEventView }>;

/** Events in order, in slices. A difference stands for an event that could not be read. */
export type EventSource = EventSlices &
  Readonly<{
    /** Returns the fraction that was read, from 0 to 1; absent where the end is not known. */
    part?: () => number;
  }>;

export type EventSlices = AsyncIterable<readonly (SourceItem | Difference)[]>;

export const isDifference = (read: SourceItem | Difference): read is Difference => 'what' in read;
