import type { AddressInfo } from 'node:net';
import type { Router as ExpressRouter } from 'express';
import { Exchange, type ServerContext } from './exchange.ts';
import { passOn, serveByRouters } from './express-routers.ts';
import { closed, createHttpServer, listening, type ServerRules } from './http-server.ts';
import type { Router } from './router.ts';
import type { PreparedRoute } from './route-table.ts';
import type { HttpConnection, HttpRequest, HttpResponse } from './transport.ts';

/** A port, with the operations that are served on it. */
export type Listener = Readonly<{
  listen: (port: number, host: string) => Promise<AddressInfo>;
  close: () => Promise<void>;
}>;

/** Serves a request. */
export type Serve = (
  request: HttpRequest,
  response: HttpResponse,
  connection: HttpConnection,
) => Exchange;

type ServeOptions = Readonly<{
  operations: Router<PreparedRoute>;
  /** Serve the paths that are not those of operations. */
  routers: readonly ExpressRouter[];
  context: ServerContext;
}>;

/** Express sees only what is no operation: its way to a route costs a transfer a twelfth of its time in this thread. */
export function createServe({ operations, routers, context }: ServeOptions): Serve {
  const serveOthers = serveByRouters(routers);
  return (request, response, connection) => {
    const exchange = new Exchange(request, response, connection, context);
    const path = exchange.run(operations);
    if (path !== undefined) {
      passOn(exchange, path);
      serveOthers(request, response);
    }
    return exchange;
  };
}

/** Listens in this thread. */
export function createListener(serve: Serve, rules: ServerRules): Listener {
  const server = createHttpServer(serve, rules);
  return {
    listen: (port, host) => listening(server, { port, host }),
    close: () => closed(server, rules.timeouts.closeMs),
  };
}
