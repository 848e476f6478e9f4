import type { Refusal } from './errors.ts';
import type { Uuid, Revision } from './ids.ts';
import type { Instant, Micros } from './instant.ts';
import type { JournalName } from './journal-name.ts';
import type { ValueName } from './unique-values.ts';

/**
 * A fact: a past-tense type and the after-image of the record it changed. `claims` are values that no other record of the
 * kind may have from now on; they are stored in the metadata.
 */
export type DomainEvent = Readonly<{
  type: string;
  data: object;
  claims?: readonly ValueName[];
  /** The text that compactPosting makes of the data, if the decider has written it for less. */
  compact?: string | undefined;
}>;

/** The name of a journal, typed with the commands it accepts and the events it returns. */
export type JournalOf<Command, Event extends DomainEvent> = Readonly<{
  name: JournalName;
  /** Exists only to carry the types. */
  takes?: (command: Command) => Event;
}>;

/** The time and the source of ids of one decision. The writer supplies them, so that deciding is pure. */
export type Stamp = Readonly<{ at: Micros; instant: Instant; ids: IdSource }>;

export interface IdSource {
  next(): Uuid;
  /** Creates the id of an aggregate with parts; see partId. */
  nextWhole(): Uuid;
}

/** Lists what a decision requires beyond the state; the writer looks it up before it decides. */
export type Needs = Readonly<{
  /** Facts that other journals own. */
  journals?: readonly JournalName[];
  /** The settings of the tenant, as they are when the decision is made. */
  settings?: true;
  /** Names in this journal whose last event is to be found. */
  names?: readonly EventName[];
  /** Events of this journal; the last event of a record is its before-image. */
  events?: readonly Revision[];
}>;

/**
 * A name by which the journal index finds an event, however old it is. Each component has its own kinds of names, such as
 * the id of a transaction; claims have the kind `value`.
 */
export type EventName = Readonly<{ kind: string; key: string }>;

/** The results of look-ups: `undefined` if one has not been made yet, `null` if nothing was found. */
export interface Facts {
  journal(name: JournalName): JournalFact | null | undefined;
  settings(): JournalFact | null | undefined;
  revisionOf(name: EventName): Revision | null | undefined;
  event(revision: Revision): DomainEvent | undefined;
}

/** The public state of a journal, which other journals may decide upon. Components extend it with members of their own. */
export type JournalFact = Readonly<{ live: boolean; revision: Revision }>;

/** The events that a command causes; or, if it changes nothing, the image of the record as it is. */
export type Decision<Event> = readonly Event[] | Unchanged<Event>;
export type Unchanged<Event> = Readonly<{
  unchanged: Event;
  /** The revision of that image, if a client asked for it; without it, the end of the journal is returned. */
  at?: Revision;
}>;

/**
 * The rules of one kind of journal.
 *
 * `decide` is pure: it reads the state, never changes it, and throws a Refusal or returns the events.
 * `evolve` folds one event into the state in place, because a ledger's state is too large to copy per event; only
 * the journal's writer holds a state. It throws on an unknown event, because deciding on half a state would be worse.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly category: string;
  /** Increase it when `toSnapshot` changes its format; older snapshots are then ignored. */
  readonly snapshotVersion: number;
  /** Most journals of the kind do not exist, so absence is cached for as long as a fact. */
  readonly isOftenAbsent?: true;
  /** Returns the refusal of a command that depends on the journal while its store cannot be reached. */
  unreachable?(): Refusal;
  initialState(): State;
  /**
   * Returns what is missing among the facts; undefined, as on the hot path, if nothing is. The writer calls it again after
   * each look-up and immediately before it decides, because the state changes meanwhile.
   */
  needs(state: State, command: Command, facts: Facts): Needs | undefined;
  decide(state: State, command: Command, facts: Facts, stamp: Stamp): Decision<Event>;
  /** Returns how many events a command causes if it is not refused, where that is known beforehand and not 1. */
  eventsOf?(command: Command): number;
  evolve(state: State, event: Event, revision: Revision): void;
  /**
   * Returns a function that takes an event out of the state again; called before the event is folded. Undefined if
   * only a reload can do that. Used where other processes write the journal too.
   */
  undoing?(state: State, event: Event): (() => void) | undefined;
  /**
   * Folds an event from the text of its data, for frequent types: parsing is most of the cost of a replay. Returns false,
   * having done nothing, if the event has to be parsed.
   */
  evolveText?(state: State, type: string, data: string): boolean;
  /** Returns the public state of the journal; undefined before its first event. */
  fact(state: State): Omit<JournalFact, 'revision'> | undefined;
  /** Converts the state to texts of about 1 MiB at most, and back. */
  toSnapshot(state: State): Iterable<string>;
  fromSnapshot(chunks: Iterable<string>): State;
}
