import type { Revision } from '#src/kernel/ids.ts';
import { categoryOf } from '#src/kernel/journal-name.ts';
import { START, type Position } from '#src/ports/event-store.ts';

/** Tracks the last acknowledged append of each journal until all collections show it. */
export type Acknowledgements = Readonly<{
  add(journal: string, revision: Revision, position: Position): void;
  /** Reports that every collection shows everything up to this position. */
  projected(through: Position): void;
  /** Returns the position that readers of a journal, or of all journals of a category, must see; START if none. */
  of(journalOrCategory: string): Position;
  /** Returns the position of a revision, or that of a later one; undefined if this process knows neither. */
  at(journal: string, revision: Revision): Position | undefined;
}>;

export function createAcknowledgements(): Acknowledgements {
  type Last = Readonly<{ revision: Revision; position: Position }>;
  /** The last append of each journal, in the order of these appends. */
  const pending = new Map<string, Last>();
  /** Revisions that are shown, for recently used journals. */
  const shown = new Map<string, Revision>();
  const categories = new Map<string, Position>();
  /** The last position that was dropped to save memory; it counts for every reader. */
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
