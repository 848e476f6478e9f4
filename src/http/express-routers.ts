import { Router as expressRouter, type Router as ExpressRouter } from 'express';
import type { Exchange } from './exchange.ts';
import { endpointOf } from './route-table.ts';
import type { Route } from './route.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/**
 * Serves routes that are not operations, such as probes and pages, by an Express router. Express tries its routes one by
 * one, which these few can afford; operations are found in the route table before.
 */
export function routerOf(routes: readonly Route[]): ExpressRouter {
  const router = expressRouter();
  for (const route of routes) {
    const endpoint = endpointOf(route);
    router.all(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (request) => {
      const values = Object.values(request.params).flat();
      exchangeOf(request).serveAt({ endpoint, values });
    });
  }
  return router;
}

/** Tries the routers in their order, and then refuses the request. */
export function serveByRouters(routers: readonly ExpressRouter[]): ServeOthers {
  const all = expressRouter();
  for (const router of routers) all.use(router);
  return (request, response) => {
    (all as unknown as NodeRouter)(request, response, (defect) => {
      const exchange = exchangeOf(request);
      if (defect === undefined) exchange.serveAt(undefined);
      else exchange.fail(defect);
    });
  };
}

export type ServeOthers = (request: HttpRequest, response: HttpResponse) => void;

/** Its types ask for the requests of an Express application, but a router reads only their method and URL. */
type NodeRouter = (
  request: HttpRequest,
  response: HttpResponse,
  done: (defect: unknown) => void,
) => void;

/** Passes a request that no operation takes on to the routers. */
export function passOn(exchange: Exchange, path: string): void {
  const { request } = exchange;
  exchanges.set(request, exchange);
  // Express would decode parameters, with a refusal of its own, and cut off what looks like a fragment.
  request.url = path === '' ? '/' : path.replaceAll('%', '%25').replaceAll('#', '%23');
}

const exchanges = new WeakMap<object, Exchange>();

const exchangeOf = (request: object): Exchange => {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('The request was not passed on');
  return exchange;
};
