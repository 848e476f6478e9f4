import type { Log } from '#src/ports/log.ts';
import type { Route } from './route.ts';

/** The line of a request. It has nothing that the client chose but the id, and nothing of the body. */
export type LoggedRequest = Readonly<{
  requestId: string;
  /** Undefined for a request that belongs to no trace. */
  traceId: string | undefined;
  method: string;
  status: number;
  /** From the last header of the request until the response was handed over, or, if it is streamed, ended. */
  ms: number;
  /** The length of the response body as sent. */
  bytes: number;
  /** Undefined while one tenant is served. */
  tenant: string | undefined;
  /** Undefined for an anonymous caller. */
  actor: string | undefined;
}>;

/** Writes a line for each request; those of probes, which come every few seconds, only at `debug`. */
export class RequestLog {
  readonly #log: Log;
  /** The route is serialized once, because each line would otherwise cost twice as much. */
  readonly #byRoute = new Map<Route | undefined, Log['info']>();

  constructor(log: Log) {
    this.#log = log;
  }

  write(route: Route | undefined, request: LoggedRequest): void {
    let line = this.#byRoute.get(route);
    if (line === undefined) {
      const log = route === undefined ? this.#log : this.#log.child({ route: route.path });
      const level = isProbe(route) ? 'debug' : 'info';
      this.#byRoute.set(route, (line = log[level].bind(log)));
    }
    line(request, 'request');
  }
}

/** Returns whether the operation is one that machines repeat to watch the process. */
export const isProbe = (route: Route | undefined): boolean => route?.tag === 'Probes';
