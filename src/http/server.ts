import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import { silentLog, type Log } from '#src/ports/log.ts';
import type { RefusedRequests } from '#src/ports/refused-requests.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import type { AccessCheck } from './access-check.ts';
import { HostCheck, type AllowedHosts } from './allowed-hosts.ts';
import { boundConnections } from './connections.ts';
import type { AllowedOrigins } from './cors.ts';
import { createDeparture } from './departure.ts';
import type { ServerContext } from './exchange.ts';
import { TIMEOUTS, type Timeouts } from './http-server.ts';
import { createListener, createServe, type Listener } from './listener.ts';
import { MemoryBudget } from './memory-budget.ts';
import { Metrics } from './metrics.ts';
import { once } from './once.ts';
import { openapiOf } from './openapi.ts';
import type { StoredExamples } from './operation-examples.ts';
import { pages } from '#src/http/pages/pages.ts';
import { probes, type About } from './probes.ts';
import { catalogOf } from './error-code.ts';
import { problemOf, type ProblemCodes } from './problem.ts';
import type { ListBounds } from './query.ts';
import { RateLimits, type RateLimitSettings } from './rate-limits.ts';
import { RequestLog } from './request-log.ts';
import type { Route } from './route.ts';
import type { Readiness, Services } from './services.ts';
import type { Starting } from './starting.ts';
import { startHttpThreads, type HttpThreadSettings } from './threads/http-threads.ts';
import { tableOf } from './route-table.ts';
import { UnreadRequests } from './unread-requests.ts';
import { UnsentReplies } from './unsent-replies.ts';

export type HttpOptions = Readonly<{
  routes: readonly Route[];
  /** The settings of mounts that can have their own port; if one is not set, the main listener serves the mount. */
  listeners?: readonly string[];
  /** Absent while the stores are not open; `open` supplies them. */
  services?: ServedServices | undefined;
  /** Until then, probes report this, and operations are refused. */
  starting?: Starting;
  ids: Ids;
  clock: Clock;
  about: About;
  bounds: ListBounds;
  allowedOrigins: AllowedOrigins;
  allowedHosts: AllowedHosts;
  /** Absent while access management is off. */
  access?: AccessCheck | undefined;
  /** Checks operations that are always checked, while access management is off. */
  ownAccess?: AccessCheck | undefined;
  /** The limits that operations name; those that name an absent one are not limited. */
  rateLimits?: RateLimitSettings;
  /** Keeps requests that were refused because of their sender. */
  refused?: RefusedRequests | undefined;
  /** Requires a permission for /metrics. */
  guardsMetrics?: boolean;
  /** The limit for the bodies and replies of all requests together. */
  memoryLimitBytes: number;
  /** The limit of open connections; more are refused. */
  connectionsMax: number;
  codes?: ProblemCodes;
  /** Loads the examples of the description when it is first requested; by default, there are none. */
  loadExamples?: () => Promise<StoredExamples>;
  /** Absent while no collector of spans is configured. */
  tracing?: Tracing | undefined;
  /** Serve the connections; absent when this thread does. */
  threads?: HttpThreadSettings | undefined;
  /** Called when one of them failed: its connections are lost, and no more are accepted. */
  onFault?: (error: Error) => void;
  /** Gets a line for each request, and the causes of defects. */
  log?: Log;
  /** Timeouts in milliseconds; the defaults are for production. */
  timeouts?: Partial<Timeouts>;
}>;

/** The services of the routes, except those that the server creates itself. */
export type ServedServices = Omit<Services, 'problem' | 'memory'> &
  Readonly<{ readiness: () => Promise<Readiness> }>;

export type HttpServer = Readonly<{
  /**
   * Binds the main listener, or the one of a setting, and returns its address. Errors: those of the operating system, such
   * as EADDRINUSE, with the `setting`.
   */
  listen: (port: number, host: string, setting?: string) => Promise<AddressInfo>;
  /** Serves the routes from now on; `meters` registers further metrics. */
  open: (services: ServedServices, meters?: (registry: Registry) => void) => void;
  /** Reports not ready while everything is still served; see Departure. */
  leave: () => Promise<void>;
  /** Accepts nothing more and finishes accepted requests; resolves when all connections have ended. */
  close: () => Promise<void>;
}>;

/** The HTTP server of the program: each listener serves its operations, the probes and the pages. */
export function httpServer(options: HttpOptions): HttpServer {
  const { ids, clock, about, starting, listeners: settings = [], codes = {} } = options;
  const { log = silentLog, loadExamples = () => Promise.resolve({}) } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const metrics = new Metrics();
  const requests = new RequestLog(log);
  const problems = { ...codes, catalog: catalogOf(options.routes), ids, log };
  const memory = new MemoryBudget(options.memoryLimitBytes);
  const unsent = new UnsentReplies(memory, log);
  let closing = false;
  let services: Services | undefined;
  let readiness: () => Readiness | Promise<Readiness> = () => starting!.readiness();
  const departure = createDeparture(() => readiness());
  const context: ServerContext = {
    services: () => services,
    waitsFor: () => starting!.waitsFor(),
    ids,
    problems,
    unread: new UnreadRequests(),
    hosts: new HostCheck(options.allowedHosts),
    access: options.access,
    ownAccess: options.ownAccess,
    rateLimits: new RateLimits(options.rateLimits ?? { limits: {} }),
    clock,
    refused: options.refused,
    memory,
    unsent,
    metrics,
    requests,
    tracing: options.tracing,
    allowedOrigins: options.allowedOrigins,
    bounds: options.bounds,
    isClosing: () => closing,
  };
  const open: HttpServer['open'] = (served, meters) => {
    const problem: Services['problem'] = (error, occasion) => problemOf(error, occasion, problems);
    services = { ...served, memory, problem };
    readiness = served.readiness;
    meters?.(metrics.registry);
  };
  if (options.services !== undefined) open(options.services);

  const { connectionsMax, onFault = rethrow } = options;
  const rules = { timeouts, problems, bound: boundConnections(connectionsMax, problems) };
  const threads =
    options.threads &&
    startHttpThreads({ ...options.threads, timeouts, connectionsMax, codes, onFault });

  /** Returns the setting of a route's port; undefined if the main listener serves it. */
  const settingOf = ({ listener }: Route): string | undefined =>
    settings.find((setting) => setting === listener);
  const listenerOf = (setting?: string): Listener => {
    const routes = options.routes.filter((route) => settingOf(route) === setting);
    const { limitMax } = options.bounds;
    const openapi = once(async () => {
      const examples = await loadExamples();
      return openapiOf(routes, { limitMax, style: codes.errorCodeStyle, examples });
    });
    const routers = [
      probes({
        ...{ about, clock, metrics, openapi },
        readiness: departure.readiness,
        guardsMetrics: options.guardsMetrics === true,
      }),
      pages({ routes, openapi, codes }),
    ];
    const serve = createServe({ operations: tableOf(routes), routers, context });
    return threads?.listener(serve) ?? createListener(serve, rules);
  };
  const main = listenerOf();
  const others = new Map(settings.map((setting) => [setting, listenerOf(setting)]));

  const slow = setInterval(() => {
    cutOffSlow(context.unread, timeouts.requestMs);
    unsent.cutOffStalled(timeouts.unreadReplyMs);
  }, timeouts.checkMs).unref();

  return {
    async listen(port, host, setting) {
      try {
        return await (setting === undefined ? main : others.get(setting)!).listen(port, host);
      } catch (error) {
        throw Object.assign(error as Error, { setting });
      }
    },
    open,
    async leave() {
      if (services !== undefined) await departure.announce(); // Until then it was not ready anyway.
    },
    async close() {
      closing = true;
      clearInterval(slow);
      await Promise.all([main, ...others.values()].map((listener) => listener.close()));
    },
  };
}

const rethrow = (error: Error): void => {
  throw error;
};

/** Ends slow requests. */
function cutOffSlow(unread: ServerContext['unread'], limitMs: number): void {
  const nowMs = performance.now();
  for (const exchange of unread) {
    const { startedMs, request, connection } = exchange;
    if (request.complete || connection.isClosed) unread.delete(exchange);
    else if (nowMs - startedMs >= limitMs) connection.refuseSlow();
  }
}
