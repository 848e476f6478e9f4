import type { AddressInfo } from 'node:net';
import type { ConnectionCount } from '#src/http/connections.ts';
import type { Timeouts } from '#src/http/http-server.ts';
import type { ProblemCodes } from '#src/http/problem.ts';
import type { Frame, QueueMemory } from './frame-queue.ts';

/** Frames from an HTTP thread to the main thread. */
export const ToMain = {
  /**
   * A request: `a` is the number of its listener, `b` is 1 if the body is whole. The text has a line each for method,
   * target, address, and names and values of headers in turn.
   */
  request: 1,
  /** A piece of its body; `a` is 1 for the last one. */
  body: 2,
  /** Progress of a reply: `a` counts the bytes that the network has taken, `b` changes with each of them. */
  sent: 3,
  /** The network has taken the whole reply. */
  finished: 4,
  /** The connection is closed. */
  aborted: 5,
  /** The connection was idle for as long as `watchIdle` said. */
  idle: 6,
} as const;

/** Frames from the main thread to an HTTP thread. */
export const ToThread = {
  /** The head of a reply: `a` is the status, `b` has flags (below); the text has a line each for names and values in turn. */
  head: 1,
  /** A piece of a reply; `b` has flags. */
  piece: 2,
  /** `a` more bytes of the body of a request were consumed. */
  consumed: 3,
  /** Close the connection. */
  destroy: 4,
  /** Refuse the request because its body takes too long. */
  refuseSlow: 5,
  /** Report when the connection was idle for `a` milliseconds. */
  watchIdle: 6,
} as const;

/** Flags of a reply. */
export const LAST = 1;
/** All pieces are to be sent in one write. */
export const CORKED = 2;
/** The flags of a head are followed by the number of lines. */
export const LINES_SHIFT = 8;

/** The data with which an HTTP thread starts. */
export type HttpThreadData = Readonly<{
  toMain: QueueMemory;
  toThread: QueueMemory;
  connections: ConnectionCount;
  connectionsMax: number;
  timeouts: Timeouts;
  codes: ProblemCodes;
}>;

/** The line on which the replies of a thread's requests go back. */
export interface ReplyLine {
  write(frame: Frame): void;
}

/** Messages to an HTTP thread; those of `WAKE` say only that the queue has frames, or room. */
export type ThreadOrder = typeof WAKE | 'close' | ListenRequest;
export type ListenRequest = Readonly<{
  listener: number;
  port: number;
  host: string;
  /** Other threads listen on the port as well. */
  isShared: boolean;
}>;

/** Messages from an HTTP thread: the result of a ListenRequest. */
export type ThreadAnswer =
  typeof WAKE | Readonly<{ address: AddressInfo }> | Readonly<{ error: Error }>;

export const WAKE = 0;

/** The bytes of a body that the main thread has not consumed, or of a reply that the network has not taken, before the other side waits. */
export const BODY_WINDOW = 64 * 1024;
export const REPLY_WINDOW = 128 * 1024;
