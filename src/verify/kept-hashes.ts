import type { Difference } from './difference.ts';
import type { Summary } from './journal.ts';

/** The hash of a journal's event at a revision, as an earlier verification printed it. */
export type KeptHash = Readonly<{ journal: string; revision: number; hash: string }>;

/** Compares journals with hashes kept earlier. A journal that only grew still has the same hash at that revision. */
export class KeptHashes {
  readonly #byJournal = new Map<string, Map<number, string>>();
  readonly size: number;

  constructor(kept: readonly KeptHash[]) {
    this.size = kept.length;
    for (const { journal, revision, hash } of kept) {
      const hashes = this.#byJournal.get(journal) ?? new Map<number, string>();
      this.#byJournal.set(journal, hashes.set(revision, hash));
    }
  }

  /** Returns how an event differs from the kept hash at its revision; undefined without one. */
  check({ journal, revision, hash }: KeptHash): string | undefined {
    const kept = this.#byJournal.get(journal)?.get(revision);
    if (kept === undefined || kept === hash) return undefined;
    return `its hash is ${hash}, the kept hash is ${kept}: the journal was rewritten`;
  }

  /** Returns the first journal that is missing or ends before a kept revision. */
  missing(found: readonly Pick<Summary, 'journal' | 'events'>[]): Difference | undefined {
    const lengths = new Map(found.map(({ journal, events }) => [journal, events]));
    for (const [journal, hashes] of this.#byJournal) {
      const events = lengths.get(journal) ?? 0;
      const revision = [...hashes.keys()].find((kept) => kept >= events);
      if (revision === undefined) continue;
      const what =
        events === 0
          ? 'a hash of it was kept, and the journal is missing'
          : `its hash was kept, and the journal ends at revision ${events - 1}: it was truncated`;
      return { journal, revision, eventId: '', what };
    }
    return undefined;
  }
}
