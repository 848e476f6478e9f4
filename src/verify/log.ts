import type { Difference } from './difference.ts';
import {
  createJournalVerifier,
  type JournalVerifier,
  type StoredText,
  type Summary,
} from './journal.ts';
import type { KeptHashes } from './kept-hashes.ts';
import type { RulesByOpening } from './rules.ts';

/** Verifies events of many journals, in any order that keeps each journal's own. */
export interface LogVerifier {
  /** Without a name, all events belong to one journal, which its first event names. */
  take(journal: string | undefined, event: StoredText): Difference | undefined;
  /** Call it after the last event: returns the first kept hash whose event is missing. */
  end(): Difference | undefined;
  /** The name of a journal, including one that only its events name. */
  nameOf(journal: string | undefined): string;
  summaries(): readonly Summary[];
}

export function createLogVerifier(audit: RulesByOpening, kept?: KeptHashes): LogVerifier {
  const journals = new Map<string, JournalVerifier>();
  const summaries = (): Summary[] => [...journals.values()].map((verifier) => verifier.summary());

  const differsFromKept = (verifier: JournalVerifier, event: StoredText) => {
    const { revision, id: eventId } = event;
    const { journal, hash } = verifier.summary();
    const what = kept?.check({ journal, revision, hash });
    return what === undefined ? undefined : { journal, revision, eventId, what };
  };

  return {
    take(journal, event) {
      let verifier = journals.get(journal ?? '');
      if (verifier === undefined) {
        verifier = createJournalVerifier(audit, journal);
        journals.set(journal ?? '', verifier);
      }
      return verifier.take(event) ?? (kept && differsFromKept(verifier, event));
    },
    end: () => kept?.missing(summaries()),
    nameOf: (journal) => journal ?? journals.get('')?.summary().journal ?? '',
    summaries,
  };
}
