import type { Uuid, Revision } from './ids.ts';
import type { Instant, Micros } from './instant.ts';
import type { JournalName } from './journal-name.ts';
import type { ValueName } from './unique-values.ts';

/**
 * Something that happened: a past-tense type and the after-image of what it changed. `claims`: values that no other
 * record of its kind may have from now on; they are recorded beside the data.
 */
export type DomainEvent = Readonly<{
  type: string;
  data: object;
  claims?: readonly ValueName[];
}>;

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

/** What a decision still has to know beside the state. Whatever is named is looked up before it is taken. */
export type Needs = Readonly<{
  /** Facts that other journals own. */
  journals?: readonly JournalName[];
  /** What holds for all of the tenant, in the moment of the decision. */
  settings?: true;
  /** Names of this journal: where is the last event that has one? */
  names?: readonly EventName[];
  /** Events of this journal: the last one of a record is its before-image. */
  events?: readonly Revision[];
}>;

/**
 * A name under which an event is found again, however old. Each component has its own kinds of names, such as the id of
 * a transaction; the kind `value` is that of claims.
 */
export type EventName = Readonly<{ kind: string; key: string }>;

/** What was looked up: `undefined` when it has not been yet, `null` when there is no such thing. */
export interface Facts {
  journal(name: JournalName): JournalFact | null | undefined;
  settings(): JournalFact | null | undefined;
  revisionOf(name: EventName): Revision | null | undefined;
  event(revision: Revision): DomainEvent | undefined;
}

/** What one journal tells another: what the rules of its component add to this, the rules that ask read. */
export type JournalFact = Readonly<{ live: boolean; revision: Revision }>;

/** What a command causes; or that it causes nothing, and the image of what it leaves as it is. */
export type Decision<Event> = readonly Event[] | Unchanged<Event>;
export type Unchanged<Event> = Readonly<{
  unchanged: Event;
  /** Where it was recorded, if that is what was asked; else it counts as the end of the journal. */
  at?: Revision;
}>;

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
  /** Bump when `toSnapshot` changes its format; older snapshots are then ignored. */
  readonly snapshotVersion: number;
  /** That it was never written may be believed for as long as anything else it says. */
  readonly isOftenAbsent?: true;
  initialState(): State;
  /**
   * What is missing among the facts; undefined when nothing is, which is the rule on the hot path. Asked again
   * when it was found, and in the moment of the decision, because the state goes on meanwhile.
   */
  needs(state: State, command: Command, facts: Facts): Needs | undefined;
  decide(state: State, command: Command, facts: Facts, stamp: Stamp): Decision<Event>;
  evolve(state: State, event: Event, revision: Revision): void;
  /**
   * What takes the folding of an event back, asked before it is folded; undone last first. Undefined when that
   * cannot be said: the state is then loaded anew. Only where other processes write the journal too.
   */
  undoing?(state: State, event: Event): (() => void) | undefined;
  /**
   * The same from the text of the data, for types that happen by the million: parsing is most of what a replay
   * costs. False, and nothing done, when this event has to be parsed.
   */
  evolveText?(state: State, type: string, data: string): boolean;
  /** What other journals may ask about this one, see JournalFact; undefined before its first event. */
  fact(state: State): Omit<JournalFact, 'revision'> | undefined;
  /** The state as texts of at most about 1 MiB each, and back. */
  toSnapshot(state: State): Iterable<string>;
  fromSnapshot(chunks: Iterable<string>): State;
}
