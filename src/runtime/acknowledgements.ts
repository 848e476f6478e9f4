import type { Revision } from '#src/kernel/ids.ts';
import { categoryOf } from '#src/kernel/journal-name.ts';
import { START, type Position } from '#src/ports/event-store.ts';

/** The last append acknowledged per journal, for as long as some collection does not show it. */
export type Acknowledgements = Readonly<{
  add(journal: string, revision: Revision, position: Position): void;
  /** Every collection shows everything up to here. */
  projected(through: Position): void;
  /** What a reader of a journal, or of all journals of a category, has to see; START: nothing it does not. */
  of(journalOrCategory: string): Position;
  /** Where a revision stands, or a later one known instead; undefined when this process does not know. */
  at(journal: string, revision: Revision): Position | undefined;
}>;

export function createAcknowledgements(): Acknowledgements {
  type Last = Readonly<{ revision: Revision; position: Position }>;
  /** In the order of their last append. */
  const pending = new Map<string, Last>();
  /** Revisions that are shown, of journals in recent use. */
  const shown = new Map<string, Revision>();
  const categories = new Map<string, Position>();
  /** What was forgotten for want of room binds every reader. */
  let floor = START;

  return {
    add(journal, revision, position) {
      pending.delete(journal);
      pending.set(journal, { revision, position });
      const category = categoryOf(journal);
      if (position > (categories.get(category) ?? START)) categories.set(category, position);
      if (pending.size <= PENDING_MAX) return;
      for (const [oldest, last] of pending) {
        pending.delete(oldest);
        if (last.position > floor) floor = last.position;
        return;
      }
    },

    projected(through) {
      for (const [journal, { revision, position }] of pending) {
        if (position > through) return;
        pending.delete(journal);
        remember(shown, journal, revision);
      }
    },

    of: (name) =>
      pending.get(name)?.position ??
      (name.includes('-') ? undefined : categories.get(name)) ??
      floor,

    at(journal, revision) {
      const last = pending.get(journal);
      if (last !== undefined && last.revision >= revision) return last.position;
      return (shown.get(journal) ?? -1) >= revision ? START : undefined;
    },
  };
}

function remember(shown: Map<string, Revision>, journal: string, revision: Revision): void {
  shown.delete(journal);
  shown.set(journal, revision);
  if (shown.size <= SHOWN_MAX) return;
  for (const oldest of shown.keys()) {
    shown.delete(oldest);
    return;
  }
}

const PENDING_MAX = 100_000;
const SHOWN_MAX = 100_000;
