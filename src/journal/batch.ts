import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Head } from './resident.ts';

/** A command with its caller and its idempotency key. */
export type Envelope<Command> = Readonly<{
  command: Command;
  context: CommandContext;
  idempotency?: IdempotencyKey | undefined;
  /** Set if more than one process may decide the command. Its `context.causationId` tells whether one has. */
  forwarded?: Forwarded | undefined;
}>;

/** Tells who may have decided a command that was, or may have been, sent to another process. */
export type Forwarded = Readonly<{
  /** Nobody decided the command up to this revision of the journal. */
  undecidedThrough: Revision;
  /** Another process may still decide it, so no refusal can be relied on. */
  isDoubtful?: true;
}>;

export type IdempotencyKey = Readonly<{
  key: string;
  /** Identifies the request of the key: SHA-256 of the operation and the canonical request, hexadecimal. */
  requestHash: string;
  /** Accepts any hash of a known key: the hash is keyed with a secret of the record, so the caller compares requests. */
  comparedByCaller?: true | undefined;
  /** Seconds of event time until the key expires; without it, the key never expires. */
  ttlSeconds?: number | undefined;
  /** The format of the response, recorded so that a replay returns the same bytes. */
  replyVersion: number;
  /**
   * Releases instead of reserves: the reservation of this key at that revision ends with this command's events, unless the
   * key was reserved again since.
   */
  releases?: Revision | undefined;
  /** A reservation of this key by an equal request may be released, as one by a process that is given up is. */
  mayBeReleased?: true | undefined;
}>;

/** An event as the caller sees it once it is durable. */
export type Committed<Event extends DomainEvent> = Event &
  Readonly<{ revision: Revision; replyVersion?: number | undefined }>;

export type Outcome<Event extends DomainEvent> = Readonly<{
  /** The events that the command caused; if it changed nothing, the unchanged image or nothing. */
  events: readonly Committed<Event>[];
  /** The revision of the journal that includes all of them. */
  revision: Revision;
  /** The key was used before; these are the events of the first request. */
  replayed: boolean;
}>;

/** A command whose caller waits for the outcome. */
export type WaitingCommand<Command, Event extends DomainEvent> = Readonly<{
  envelope: Envelope<Command>;
  resolve: (outcome: Outcome<Event>) => void;
  reject: (error: unknown) => void;
  /** When it was submitted. */
  sinceMs: number;
}> & {
  /** It waited too long and was rejected, so it is not retried. */
  givenUp?: boolean;
  /** Ids of its events in appends with an unknown outcome; if one is found in the log, the append succeeded. */
  attempted?: Set<Uuid>;
  /** The revision after which such an append may still be written. Once the journal is longer, it cannot be. */
  mayLandAfter?: Revision;
  /** If it was forwarded: loads of the journal look for its events from now on. */
  isWatched?: true;
  /** The number of times that its decision was lost. */
  setbacks?: number;
};

/** A decision that is not durable yet. */
export type Decided<Command, Event extends DomainEvent> = Readonly<{
  waiting: WaitingCommand<Command, Event>;
  answer:
    | Readonly<{ is: 'done'; events: readonly Committed<Event>[]; ids: readonly Uuid[] }>
    | Readonly<{ is: 'refused'; refusal: Refusal }>
    | Readonly<{ is: 'known'; revision: Revision; mayEnd: boolean }>;
}>;

/** The content of one append: the events of several commands, and the decisions whose replies wait for it. */
export type Batch<Command, Event extends DomainEvent> = {
  readonly after: Revision;
  readonly events: NewEvent[];
  readonly decided: Decided<Command, Event>[];
  /** Called with true when the batch is durable, and with false when it is lost. */
  readonly barriers: ((durable: boolean) => void)[];
  /** Functions that take its events out of the state again, in the order of the events; undefined if only a reload can. */
  undo: (() => void)[] | undefined;
  /** The end of the journal before it. */
  readonly head: Head | undefined;
  bytes: number;
  /** A command did not fit; it is decided first into the next batch. */
  closed: boolean;
};

export const EVENTS_MAX = 512;

export const openBatch = <Command, Event extends DomainEvent>(
  after: Revision,
  head?: Head,
): Batch<Command, Event> => ({
  after,
  head,
  events: [],
  decided: [],
  barriers: [],
  undo: head && [],
  bytes: 0,
  closed: false,
});

/** Returns whether the events of another command fit. An empty batch takes any command. */
export const fits = (
  { events, bytes }: Pick<Batch<unknown, DomainEvent>, 'events' | 'bytes'>,
  more: Readonly<{ events: readonly NewEvent[]; bytes: number }>,
): boolean =>
  events.length === 0 ||
  (bytes + more.bytes <= APPEND_BYTES_MAX && events.length + more.events.length <= EVENTS_MAX);

/** Returns whether a command that causes this many events may fit; its bytes are known only when it is decided. */
export const mayFit = (
  { events }: Pick<Batch<unknown, DomainEvent>, 'events'>,
  more = 1,
): boolean => events.length === 0 || events.length + more <= EVENTS_MAX;

export const hasRoom = ({
  events,
  closed,
}: Pick<Batch<unknown, DomainEvent>, 'events' | 'closed'>): boolean =>
  !closed && events.length < EVENTS_MAX;

export const isEmpty = ({ decided, barriers }: Waited): boolean =>
  decided.length === 0 && barriers.length === 0;

export const hasWritten = <Command, Event extends DomainEvent>({
  answer,
}: Decided<Command, Event>): boolean => answer.is === 'done' && answer.ids.length > 0;

type Waited = Readonly<{ decided: readonly unknown[]; barriers: readonly unknown[] }>;
