import type { Brand } from '#src/kernel/brand.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';

/** The place of an event in the whole log. It is opaque and never computed; text order is log order. */
export type Position = Brand<string, 'Position'>;

/** Sorts before every position. */
export const START = '' as Position;

/** An event before it is written. `data` and `metadata` are JSON texts, stored and returned verbatim. */
export type NewEvent = Readonly<{ id: Uuid; type: string; data: string; metadata: string }>;

export type StoredEvent = NewEvent &
  Readonly<{ stream: string; revision: Revision; position: Position }>;

/** The last event of an append. */
export type Appended = Readonly<{ revision: Revision; position: Position }>;

/**
 * The log. Appends are atomic and durable when they resolve.
 *
 * Errors: WrongExpectedRevision, Unavailable (nothing was written), Ambiguous (it may have been written, or
 * still be: reread the stream), Damaged (a stream was deleted).
 */
export interface EventStore {
  /** Names this log for ever; a read model built from another log is not trusted. */
  readonly logId: Uuid;

  /** No other process can append: what this one knows of the end of a stream is the end. */
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

  /** The event at a position; undefined when there is none, because the log ends before or never gave it out. */
  at(position: Position): Promise<StoredEvent | undefined>;

  /** The last event of a stream; undefined for one that does not exist. */
  last(stream: string): Promise<StoredEvent | undefined>;

  /** Returns the end of the log, which no event that is durable by now lies after. */
  end(): Promise<Position>;

  /**
   * Hands over every event after a position, in order and once: those that are there, then those that come, also
   * across broken connections. The next ones come when the promise for the ones before is fulfilled.
   */
  subscribe(after: Position, take: Take): Subscription;

  close(): Promise<void>;
}

/** A rejection ends the subscription. */
export type Take = (events: readonly StoredEvent[]) => Promise<void> | void;

export interface Subscription {
  /** Resolves when it was closed; rejects with what `take` threw, or when the log cannot be followed any more. */
  readonly ended: Promise<void>;
  /** Nothing is handed over any more once it resolves. */
  close(): Promise<void>;
}

/** Another writer was first; nothing was written. */
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
