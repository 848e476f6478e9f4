import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Server as SocketServer } from 'node:net';
import { endHalfOpenReads, refuseConnect } from './connections.ts';
import { createServer } from './node-http.ts';
import type { Problems } from './problem.ts';
import { refuseConnection } from './refuse-connection.ts';
import { SocketConnection } from './socket-connection.ts';

export type Timeouts = Readonly<{
  headersMs: number;
  /** The time from the head of a request to the last byte of its body; unlimited for a body of lines. */
  requestMs: number;
  keepAliveMs: number;
  /** A connection is closed if its client takes nothing of a reply for this long. */
  unreadReplyMs: number;
  /** The interval at which the first three are enforced. */
  checkMs: number;
  /** The time that accepted requests have before close() cuts them off. */
  closeMs: number;
}>;

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000, // Longer than the idle time of common load balancers, which must be first to close.
  unreadReplyMs: 30_000,
  checkMs: 5_000,
  closeMs: 5_000,
};

export type ServerRules = Readonly<{
  timeouts: Timeouts;
  problems: Problems;
  /** Applies the limit of connections, which all servers of the process share. */
  bound: (server: Server) => void;
}>;

/** Receives a request whose head is valid. */
export type Receive = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: SocketConnection,
) => void;

/** Creates a server of Node that refuses what is not a request, and passes on what is one. */
export function createHttpServer(
  receive: Receive,
  { timeouts, problems, bound }: ServerRules,
): Server {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      refuseConnection(new Error('No Host'), request.socket, problems);
      return;
    }
    receive(request, response, new SocketConnection(request, response, problems));
  };
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: 0, // Node's own limit would also end bodies of lines that are meant to stay open.
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false, // Node's own refusal is not a problem document.
      noDelay: true,
      joinDuplicateHeaders: true, // Else the second Host, or Origin, of a request is dropped and never seen.
    },
    listener,
  );
  server.on('checkExpectation', listener); // Unknown expectations may be ignored (RFC 9110 §10.1.1).
  server.on('connect', (_request, socket) => refuseConnect(socket, problems));
  bound(server);
  endHalfOpenReads(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection(error, socket, problems);
  });
  return server;
}

const HEADER_BYTES_MAX = 16 * 1024;

/** Resolves with the address. Errors: those of the operating system, such as EADDRINUSE. */
export const listening = (server: SocketServer, options: ListenOptions): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });

const BACKLOG = 1024;

/** Ends idle connections, and the others when their replies are sent, but not later than `withinMs`. */
export const closed = (server: Server, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(() => {
      server.closeAllConnections();
    }, withinMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
