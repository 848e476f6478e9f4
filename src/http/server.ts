import type {
  IncomingMessage as Incoming,
  Server,
  ServerOptions,
  ServerResponse as Outgoing,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import type { Registry } from 'prom-client';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import { HostCheck, type AllowedHosts } from './allowed-hosts.ts';
import { refuseConnect, boundConnections, endHalfOpenReads } from './connections.ts';
import type { AllowedOrigins } from './cors.ts';
import { Exchange, type ServerContext } from './exchange.ts';
import { MemoryBudget } from './memory-budget.ts';
import { Metrics } from './metrics.ts';
import { createServer, IncomingMessage, ServerResponse } from './node-http.ts';
import { once } from './once.ts';
import { openapiOf } from './openapi.ts';
import { pages } from './pages/routes.ts';
import { probes, type About } from './probes.ts';
import { catalogOf } from './error-code.ts';
import { problemOf, type ProblemCodes, type Problems } from './problem.ts';
import type { ListBounds } from './query.ts';
import { refuseConnection } from './refuse-connection.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';
import { closedRoutes, NOT_STARTING, servicesWhileStarting, type Starting } from './starting.ts';
import { tableOf } from './table.ts';
import { UnsentReplies } from './unsent-replies.ts';

export type HttpOptions = Readonly<{
  routes: readonly Route[];
  /** Left out while the stores are not open yet: `open` hands them over. */
  services?: ServedServices | undefined;
  /** What the probes say until then; everything else is refused. */
  starting?: Starting;
  ids: Ids;
  clock: Clock;
  about: About;
  bounds: ListBounds;
  allowedOrigins: AllowedOrigins;
  allowedHosts: AllowedHosts;
  /** For the bodies and replies of all requests together. */
  memoryLimitBytes: number;
  /** Connections open at once; more are refused. */
  connectionsMax: number;
  codes?: ProblemCodes;
  log?: Problems['log'];
  /** Milliseconds; the defaults are for production. */
  timeouts?: Partial<Timeouts>;
}>;

/** The services of the routes that the server does not make itself. */
export type ServedServices = Omit<Services, 'problem' | 'memory'>;

export type Timeouts = Readonly<{
  headersMs: number;
  /** From the head of a request to the last byte of its body. A body of lines may take as long as it likes. */
  requestMs: number;
  keepAliveMs: number;
  /** A reply of which nothing is taken for this long ends its connection. */
  unreadReplyMs: number;
  /** How often the first three are enforced. */
  checkMs: number;
  /** For requests already accepted, before close() cuts them off. */
  closeMs: number;
}>;

export type HttpServer = Readonly<{
  /** Answers the address it is bound to. Errors: those of the operating system, such as EADDRINUSE. */
  listen: (port: number, host: string) => Promise<AddressInfo>;
  /** Serves the routes from now on; `meters` adds what else is measured. */
  open: (services: ServedServices, meters?: (registry: Registry) => void) => void;
  /** Accepts nothing more, finishes what was accepted, resolves when all connections have ended. */
  close: () => Promise<void>;
}>;

/** The HTTP side of the program: the routes of the table, the probes and the pages, nothing else. */
export function httpServer(options: HttpOptions): HttpServer {
  const { routes, ids, clock, about } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const metrics = new Metrics();
  const { codes = {}, log = toStderr } = options;
  const problems = { ...codes, catalog: catalogOf(routes), ids, log };
  const { limitMax } = options.bounds;
  const openapi = once(() => openapiOf(routes, { limitMax, style: codes.errorCodeStyle }));
  const beside = [
    ...probes({ about, clock, metrics, openapi }),
    ...pages({ routes, openapi, codes }),
  ];
  const memory = new MemoryBudget(options.memoryLimitBytes);
  const unsent = new UnsentReplies(memory, log);
  let closing = false;
  const table = tableOf([...routes, ...beside]);
  const { starting = NOT_STARTING } = options;
  let around: ServerContext = {
    table: tableOf([...closedRoutes(routes, starting), ...beside]),
    services: servicesWhileStarting(starting),
    ids,
    problems,
    unread: new Set(),
    hosts: new HostCheck(options.allowedHosts),
    memory,
    unsent,
    metrics,
    allowedOrigins: options.allowedOrigins,
    bounds: options.bounds,
    isClosing: () => closing,
  };
  const open: HttpServer['open'] = (services, meters) => {
    const problem: Services['problem'] = (error, occasion) => problemOf(error, occasion, problems);
    around = { ...around, table, services: { ...services, memory, problem } };
    meters?.(metrics.registry);
  };
  if (options.services !== undefined) open(options.services);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const serve = (request: Incoming, response: Outgoing): void => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      refuseConnection(new Error('No Host'), request.socket, problems);
      return;
    }
    new Exchange(request, response, around).run();
  };
  app.use(serve);
  /** Express answers a target it cannot parse with a page of its own. */
  const listener = (request: Incoming, response: Outgoing): void => {
    if (request.url?.startsWith('/') === true) void app(request, response);
    else serve(request, response);
  };

  const server = createServer(
    {
      ...bornOf(app),
      headersTimeout: timeouts.headersMs,
      requestTimeout: 0, // See cutOffSlow.
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false, // The platform's own refusal is no problem document.
      noDelay: true,
      joinDuplicateHeaders: true, // Else the second Host, or Origin, of a request is dropped and never seen.
    },
    listener,
  );
  server.on('checkExpectation', listener); // What it does not know may be passed over (RFC 9110 §10.1.1).
  server.on('connect', (_request, socket) => refuseConnect(socket, problems));
  boundConnections(server, options.connectionsMax, problems);
  endHalfOpenReads(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection(error, socket, problems);
  });

  const slow = setInterval(() => {
    cutOffSlow(around.unread, timeouts.requestMs, problems);
    unsent.cutOffStalled(timeouts.unreadReplyMs);
  }, timeouts.checkMs).unref();

  return {
    listen: (port, host) => listening(server, port, host),
    open,
    close: () => {
      closing = true;
      clearInterval(slow);
      return closed(server, timeouts.closeMs);
    },
  };
}

/**
 * Express makes every request and response its own by changing what they inherit from, which the engine answers by looking
 * for another layout of each, a fortieth of what a transfer costs in this thread. Made like this, they are its own already.
 */
function bornOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Received extends IncomingMessage {}
  class Answer<Asked extends Incoming> extends ServerResponse<Asked> {}
  Object.setPrototypeOf(Received.prototype, app.request);
  Object.setPrototypeOf(Answer.prototype, app.response);
  Object.assign(app, { request: Received.prototype, response: Answer.prototype });
  return { IncomingMessage: Received, ServerResponse: Answer };
}

/** The platform's own limit would also end bodies that come as long as there is something to say. */
function cutOffSlow(unread: ServerContext['unread'], limitMs: number, problems: Problems): void {
  const nowMs = performance.now();
  for (const exchange of unread) {
    const { startedMs, request, response } = exchange;
    const { socket } = request;
    if (request.complete || socket.destroyed) unread.delete(exchange);
    else if (nowMs - startedMs < limitMs) continue;
    else if (response.writableEnded) socket.destroy();
    else refuseConnection(requestTimeout(), socket, problems);
  }
}

const requestTimeout = (): Error =>
  Object.assign(new Error('Too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

const HEADER_BYTES_MAX = 16 * 1024;

const TIMEOUTS: Timeouts = {
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

function toStderr(line: Readonly<Record<string, unknown>>): void {
  process.stderr.write(JSON.stringify(line) + '\n');
}
