import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { OpenProcess } from '#src/kernel/index-table.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { Steps } from './steps.ts';

/** A process over several journals. Its steps are idempotent, so that it can be resumed after a crash. */
export type Process<Event extends DomainEvent = never> = Readonly<{
  open: OpenProcess;
  /** The process has its own journal, whose first event began it and whose last event shows that someone works on it. */
  hasJournal?: true;
  /**
   * The age of its beginning, or of the last event of its own journal, from which it counts as abandoned; until then,
   * another process may be at work.
   */
  abandonedAfterMs: number;
  /**
   * Takes the missing steps on behalf of the request that began it, with the services of all components by name.
   * Errors: Refusal, Unavailable.
   */
  resume: (steps: Steps, begun: Begun<Event>, services: ProcessServices) => Promise<unknown>;
}>;

/** Only a component knows the type of its own. */
export type ProcessServices = Readonly<Record<string, unknown>>;

/** The event that began a process, with its journal and revision. */
export type Begun<Event extends DomainEvent> = Readonly<{
  journal: JournalName;
  revision: Revision;
  event: Event;
}>;
