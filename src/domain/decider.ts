import type { Uuid, Revision } from './ids.ts';
import type { Instant, Micros } from './instant.ts';
import type { JournalName } from './journal-name.ts';

/** Something that happened: a past-tense type and the after-image of what it changed. */
export type DomainEvent = Readonly<{ type: string; data: object }>;

/** A journal by its name, with the commands it takes and the events it answers. */
export type JournalOf<Command, Event extends DomainEvent> = Readonly<{
  name: JournalName;
  /** Carries the types only. */
  takes?: (command: Command) => Event;
}>;

/** Time and chance of one decision; the writer hands them out, a decision never fetches them. */
export type Stamp = Readonly<{ at: Micros; instant: Instant; ids: IdSource }>;

export interface IdSource {
  next(): Uuid;
  /** For aggregates with parts, see partId. */
  nextWhole(): Uuid;
}

/** What a decision wants to know of other journals; looked up in the journals that own the facts. */
export type Needs = Readonly<{ journals?: readonly JournalName[] }>;

/** What was found: nothing for a journal that does not exist. */
export type Facts = Readonly<{ journal: (name: JournalName) => JournalFact | undefined }>;
export type JournalFact = Readonly<{ live: boolean; revision: Revision }>;

/**
 * The rules of one kind of journal.
 *
 * `decide` is pure: it reads the state, never changes it, and throws a Refusal or answers the events.
 * `evolve` folds one event into the state in place, because a ledger's state is too large to copy per event;
 * nobody but the journal's writer holds a state. It throws on an event it does not know: to stop is better
 * than to decide on half a state.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly category: string;
  /** Bump when `freeze` changes its format; older snapshots are then ignored. */
  readonly snapshotVersion: number;
  initialState(): State;
  /** Undefined when the command needs no other journal, which is the rule on the hot path. */
  needs(command: Command): Needs | undefined;
  decide(state: State, command: Command, facts: Facts, stamp: Stamp): readonly Event[];
  evolve(state: State, event: Event, revision: Revision): void;
  /** What other journals may ask about this one; undefined before its first event. */
  fact(state: State): Readonly<{ live: boolean }> | undefined;
  /** The state as texts of at most about 1 MiB each, and back. */
  freeze(state: State): Iterable<string>;
  thaw(chunks: Iterable<string>): State;
}
