import type { Brand } from '#src/kernel/brand.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';

/** The place of an event in the whole log. It is opaque and never computed; text order is log order. */
export type Position = Brand<string, 'Position'>;

/** Sorts before every position. */
export const START = '' as Position;

/** An event before it is written. `data` and `metadata` are JSON texts, stored and returned verbatim. */
export type NewEvent = Readonly<{ id: Uuid; type: string; data: string; metadata: string }>;

export type StoredEvent = NewEvent &
  Readonly<{ stream: string; revision: Revision; position: Position }>;

/** The revision and position of the last event of an append. */
export type Appended = Readonly<{ revision: Revision; position: Position }>;

/**
 * The log. Appends are atomic and durable when they resolve.
 *
 * Errors: WrongExpectedRevision, Unavailable (nothing was written), Ambiguous (it may have been written, or
 * still be: reread the stream), Damaged (a stream was deleted, or events are missing).
 */
export interface EventStore {
  /** Identifies this log permanently; a read model built from another log is not trusted. */
  readonly logId: Uuid;

  /** No other process can append, so the last event of a stream that this process knows is the last one. */
  readonly exclusive: boolean;

  /**
   * Appends after `expected` (NONE for a stream that must not exist). The same event ids appended again at
   * the same expected revision succeed with the first outcome and write nothing.
   */
  append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended>;

  /** Returns up to `limit` events of a stream from a revision, inclusive, in order; none past the end. */
  read(stream: string, from: Revision, limit: number): Promise<readonly StoredEvent[]>;

  /** Returns up to `limit` events of the whole log after a position, exclusive, in order. */
  readAll(after: Position, limit: number): Promise<readonly StoredEvent[]>;

  /** Returns the event at a position; undefined if the log ends before it or never assigned it. */
  at(position: Position): Promise<StoredEvent | undefined>;

  /** Returns the last event of a stream; undefined if the stream does not exist. */
  last(stream: string): Promise<StoredEvent | undefined>;

  /** Returns the end of the log: every event that is durable now is at or before it. */
  end(): Promise<Position>;

  /**
   * Returns a position before every event recorded at an instant or later, and at most a minute of the log before the
   * first of them. Times may deviate from the order of the log by a minute: events that deviate by more may be missed.
   */
  positionAt(instant: Micros): Promise<Position>;

  /**
   * Delivers every event after a position once and in order: the existing ones first, then new ones, across lost
   * connections. The next events are delivered when the promise for the previous ones is fulfilled.
   */
  subscribe(after: Position, take: Take): LogSubscription;

  close(): Promise<void>;
}

/** A rejection ends the subscription. */
export type Take = (events: readonly StoredEvent[]) => Promise<void> | void;

export interface LogSubscription {
  /**
   * Resolves when the subscription was closed; rejects with what `take` threw, or when the log can no longer be
   * followed.
   */
  readonly ended: Promise<void>;
  /** Ends the subscription; nothing is delivered after it resolves. */
  close(): Promise<void>;
}

/** Another writer appended first; nothing was written. */
export class WrongExpectedRevision extends Error {
  readonly expected: Revision;
  readonly actual: Revision;
  constructor(stream: string, expected: Revision, actual: Revision) {
    super(`${stream} is at revision ${String(actual)}, expected ${String(expected)}`);
    this.name = 'WrongExpectedRevision';
    this.expected = expected;
    this.actual = actual;
  }
}
