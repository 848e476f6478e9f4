import type { IncomingMessage as Incoming, Server, ServerResponse as Outgoing } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Router as ExpressRouter } from 'express';
import { endHalfOpenReads, refuseConnect } from './connections.ts';
import { Exchange, type ServerContext } from './exchange.ts';
import { passOn, serveByRouters } from './express-routers.ts';
import { createServer } from './node-http.ts';
import { refuseConnection } from './refuse-connection.ts';
import type { Router } from './router.ts';
import type { PreparedRoute } from './route-table.ts';

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

/** A port, with the operations that are served on it. */
export type Listener = Readonly<{
  listen: (port: number, host: string) => Promise<AddressInfo>;
  close: () => Promise<void>;
}>;

type ListenerOptions = Readonly<{
  operations: Router<PreparedRoute>;
  /** Serve the paths that are not those of operations. */
  routers: readonly ExpressRouter[];
  context: ServerContext;
  timeouts: Timeouts;
  /** Applies the limit of connections, which all listeners of the process share. */
  bound: (server: Server) => void;
}>;

export function createListener(options: ListenerOptions): Listener {
  const { context, timeouts, bound } = options;
  const { problems } = context;
  const serveOthers = serveByRouters(options.routers);
  /** Express sees only what is no operation: its way to a route costs a transfer a twelfth of its time in this thread. */
  const listener = (request: Incoming, response: Outgoing): void => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      refuseConnection(new Error('No Host'), request.socket, problems);
      return;
    }
    const exchange = new Exchange(request, response, context);
    const path = exchange.run(options.operations);
    if (path === undefined) return;
    passOn(exchange, path);
    serveOthers(request, response);
  };

  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: 0, // See cutOffSlow.
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

  return {
    listen: (port, host) => listening(server, port, host),
    close: () => closed(server, timeouts.closeMs),
  };
}

const HEADER_BYTES_MAX = 16 * 1024;

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000, // Longer than the idle time of common load balancers, which must be first to close.
  unreadReplyMs: 30_000,
  checkMs: 5_000,
  closeMs: 5_000,
};

const listening = (server: Server, port: number, host: string): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, BACKLOG, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });

const BACKLOG = 1024;

const closed = (server: Server, withinMs: number): Promise<void> =>
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
