import type { Difference } from './difference.ts';
import {
  createJournalVerifier,
  type JournalVerifier,
  type StoredText,
  type Summary,
} from './journal.ts';

/** Events of many journals, in any order that keeps each journal's own. */
export interface LogVerifier {
  /** Without a name: the one journal there is, which its first event names. */
  take(journal: string | undefined, event: StoredText): Difference | undefined;
  /** The name of a journal, also of the one that its events alone name. */
  nameOf(journal: string | undefined): string;
  summaries(): readonly Summary[];
}

export function createLogVerifier(): LogVerifier {
  const journals = new Map<string, JournalVerifier>();
  return {
    take(journal, event) {
      let verifier = journals.get(journal ?? '');
      if (verifier === undefined) {
        verifier = createJournalVerifier(journal);
        journals.set(journal ?? '', verifier);
      }
      return verifier.take(event);
    },
    nameOf: (journal) => journal ?? journals.get('')?.summary().journal ?? '',
    summaries: () => [...journals.values()].map((verifier) => verifier.summary()),
  };
}
