import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Head } from './resident.ts';

/** A command with all that must surround it. */
export type Envelope<Command> = Readonly<{
  command: Command;
  context: CommandContext;
  idempotency?: IdempotencyKey | undefined;
}>;

export type IdempotencyKey = Readonly<{
  key: string;
  /** SHA-256 of operation and canonical request, hexadecimal: what the key stands for. */
  requestHash: string;
  /** Seconds of event time; for ever when left out. */
  ttlSeconds?: number | undefined;
  /** The format of the reply, recorded so that a repeat gets the same bytes. */
  replyVersion: number;
  /**
   * The other way round: the key was taken there, and from this command's events on it counts as unused. Without effect
   * when it was taken elsewhere since.
   */
  releases?: Revision | undefined;
}>;

/** An event as the caller sees it once it is durable. */
export type Committed<Event extends DomainEvent> = Event &
  Readonly<{ revision: Revision; replyVersion?: number | undefined }>;

export type Outcome<Event extends DomainEvent> = Readonly<{
  /** What the command caused; when it changed nothing, the image it left as it was, or nothing at all. */
  events: readonly Committed<Event>[];
  /** The journal's revision that holds all of it. */
  revision: Revision;
  /** The key was used before: these are the events of that time. */
  replayed: boolean;
}>;

/** A command that waits for its answer. */
export type WaitingCommand<Command, Event extends DomainEvent> = Readonly<{
  envelope: Envelope<Command>;
  resolve: (outcome: Outcome<Event>) => void;
  reject: (error: unknown) => void;
  /** When it was submitted. */
  sinceMs: number;
}> & {
  /** It was rejected because it waited too long: nothing more is tried for it. */
  givenUp?: boolean;
  /** Ids minted for it in appends whose fate was unknown: if one shows up in the log, it happened. */
  attempted?: Set<Uuid>;
  /** The revision after which such an append may still land; past it, none can. */
  mayLandAfter?: Revision;
  /** How often what was decided for it was lost. */
  setbacks?: number;
};

/** A decision taken, on its way to durability. */
export type Decided<Command, Event extends DomainEvent> = Readonly<{
  waiting: WaitingCommand<Command, Event>;
  answer:
    | Readonly<{ is: 'done'; events: readonly Committed<Event>[]; ids: readonly Uuid[] }>
    | Readonly<{ is: 'refused'; refusal: Refusal }>
    | Readonly<{ is: 'known'; revision: Revision }>;
}>;

/** What one append carries: the events of several commands, and every answer that waits for them. */
export type Batch<Command, Event extends DomainEvent> = {
  readonly after: Revision;
  readonly events: NewEvent[];
  readonly decided: Decided<Command, Event>[];
  /** Who wants to know when all of it is durable, or that it will not be. */
  readonly barriers: ((durable: boolean) => void)[];
  /** What takes its events back out of the state, first event first; undefined when that cannot be done. */
  undo: (() => void)[] | undefined;
  /** The end of the journal before it. */
  readonly head: Head | undefined;
  bytes: number;
  /** A command did not fit: nothing more is decided into it, so that this one comes next. */
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

/** Whether one more command's events can join; a batch that is empty takes whatever one command needs. */
export const fits = (
  { events, bytes }: Pick<Batch<unknown, DomainEvent>, 'events' | 'bytes'>,
  more: Readonly<{ events: readonly NewEvent[]; bytes: number }>,
): boolean =>
  events.length === 0 ||
  (bytes + more.bytes <= APPEND_BYTES_MAX && events.length + more.events.length <= EVENTS_MAX);

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
