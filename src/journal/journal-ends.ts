import type { Revision } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { WriterEvents } from './writer-ports.ts';

/** The end of a journal and its position in the log. */
export type AcknowledgedEnd = Readonly<{ revision: Revision; position: Position }>;

/** Remembers the last acknowledged end of each journal, whichever process acknowledged it. */
export type JournalEnds = Readonly<{
  /** Notes an end and passes it on, unless a later one is known. */
  note: WriterEvents['acknowledged'];
  of: (journal: string) => AcknowledgedEnd | undefined;
}>;

export function createJournalEnds(passOn: WriterEvents['acknowledged']): JournalEnds {
  const ends = new Map<string, AcknowledgedEnd>();
  return {
    note(journal, revision, position) {
      const known = ends.get(journal);
      if (known !== undefined && known.revision >= revision) return;
      if (known === undefined && ends.size >= JOURNALS_MAX) ends.clear(); // They are found again.
      ends.set(journal, { revision, position });
      passOn(journal, revision, position);
    },
    of: (journal) => ends.get(journal),
  };
}

const JOURNALS_MAX = 50_000;
