import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { OpenProcess } from '#src/kernel/index-table.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { Steps } from './steps.ts';

/** A process that takes steps in several journals, each of which can be repeated, so that it can be resumed. */
export type Process<Event extends DomainEvent = never> = Readonly<{
  open: OpenProcess;
  /** It has a journal to itself: the first event there began it, and whoever works on it writes the last. */
  hasJournal?: true;
  /**
   * How long it is left alone after it began, or after the last event of its own journal: another process may be at
   * work. Left out, it is resumed when a process starts, again until that has worked once, and not later.
   */
  abandonedAfterMs?: number;
  /** Takes the steps that are missing, in the name of the request that began it. Errors: Refusal, Unavailable. */
  resume: (steps: Steps, begun: Begun<Event>) => Promise<unknown>;
}>;

/** The event that began a process, and where it stands. */
export type Begun<Event extends DomainEvent> = Readonly<{
  journal: JournalName;
  revision: Revision;
  event: Event;
}>;
