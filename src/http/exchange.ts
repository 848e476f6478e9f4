import { Refusal, refuse, type RefusalKind } from '#src/kernel/errors.ts';
import type { Actor } from '#src/kernel/event-metadata.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { isOpen } from '#src/kernel/permission.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { traceIdOf, type TraceContext } from '#src/kernel/trace-context.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { RefusedRequests } from '#src/ports/refused-requests.ts';
import type { RequestSpan, Tracing } from '#src/ports/tracing.ts';
import type { HostCheck } from './allowed-hosts.ts';
import {
  BODY_LIMIT_DEFAULT,
  mediaType,
  NDJSON,
  readBody,
  requireIdentity,
  requireJson,
  textOf,
  type BodyOwner,
} from './body.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import {
  corsHeaders,
  isCrossSiteWrite,
  preflightHeaders,
  SAFE_METHODS,
  type AllowedOrigins,
} from './cors.ts';
import {
  consistencyTokenOf,
  correlationIdOf,
  headerUuidOf,
  idempotencyOf,
  lastEventIdOf,
  requestIdOf,
  traceContextOf,
} from './headers.ts';
import { parseBytes, unreadable } from './json.ts';
import { linesOf } from './lines.ts';
import { noRoom, SMALL_BODY_BYTES, type MemoryBudget } from './memory-budget.ts';
import type { Metrics } from './metrics.ts';
import { readPath } from './path.ts';
import { PermissionRefused, type AccessCheck, type Admitted } from './access-check.ts';
import { problemOf, type ProblemReply, type Problems } from './problem.ts';
import { RateLimited, type LimitedClient, type RateLimits } from './rate-limits.ts';
import { readQuery, type ListBounds } from './query.ts';
import { sizeOf, type Reply } from './reply.ts';
import { isProbe, type LoggedRequest, type RequestLog } from './request-log.ts';
import type { Request, RequestCaller, RequestContext } from './request.ts';
import type { Form, Lines, Route } from './route.ts';
import type { Match, Router } from './router.ts';
import { send } from './send.ts';
import type { Services } from './services.ts';
import { unavailableWhileStarting } from './starting.ts';
import type { PreparedRoute } from './route-table.ts';
import type { HttpConnection, HttpRequest, HttpResponse } from './transport.ts';
import type { UnreadRequests } from './unread-requests.ts';
import type { UnsentReplies } from './unsent-replies.ts';

/** The context that all listeners of a process share. */
export type ServerContext = Readonly<{
  /** Undefined while the server starts: only probes and pages are served. */
  services: () => Services | undefined;
  /** Names the store that the start waits for. */
  waitsFor: () => string;
  ids: Ids;
  problems: Problems;
  metrics: Metrics;
  requests: RequestLog;
  /** Undefined while no collector of spans is configured. */
  tracing: Tracing | undefined;
  allowedOrigins: AllowedOrigins;
  bounds: ListBounds;
  hosts: HostCheck;
  /** Undefined while access management is off. */
  access: AccessCheck | undefined;
  /** Checks operations that are always checked, while access management is off. */
  ownAccess: AccessCheck | undefined;
  rateLimits: RateLimits;
  clock: Clock;
  /** Keeps requests that were refused because of their sender. */
  refused: Pick<RefusedRequests, 'record'> | undefined;
  memory: MemoryBudget;
  /** Exchanges whose request has not arrived completely. */
  unread: UnreadRequests<UnreadExchange>;
  unsent: UnsentReplies;
  /** While it returns true, replies close their connection. */
  isClosing: () => boolean;
}>;

type UnreadExchange = Pick<Exchange, 'request' | 'connection' | 'startedMs' | 'unreadPlace'>;

/**
 * One request and its reply, checked in the order of contract ledger §1.2: route, path, query, headers,
 * body. Nothing is awaited but the body and the handler.
 */
export class Exchange implements BodyOwner, RequestCaller {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly connection: HttpConnection;
  private readonly around: ServerContext;
  private readonly services: Services | undefined;
  private readonly requestId: string;
  private readonly span: RequestSpan | undefined;
  /** The trace of what this request causes: that of its span, or else the one that its client sent. */
  private readonly trace: TraceContext | undefined;
  readonly startedMs = performance.now();
  unreadPlace = -1;
  private prepared: PreparedRoute | undefined;
  /** The bytes of the memory budget that the body and its values have taken. */
  private heldBytes = 0;
  /** True once the reply is followed until the network has taken it. */
  private isWatched = false;

  constructor(
    request: HttpRequest,
    response: HttpResponse,
    connection: HttpConnection,
    around: ServerContext,
  ) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.around = around;
    this.services = around.services();
    this.requestId = requestIdOf(request.headers, around.ids);
    const sent = traceContextOf(request.headers);
    this.span = around.tracing?.begin('request', sent);
    this.trace = this.span?.context ?? sent;
  }

  /** True if the connection is closed, so that no one reads the reply, or if no one may read it any more. */
  get gone(): boolean {
    const { tenantId } = this.admitted;
    return this.response.destroyed || this.around.access?.isSuspended(tenantId) === true;
  }

  /** Serves an operation, or refuses the request. Returns the path if it is that of no operation. */
  run(table: Router<PreparedRoute>): string | undefined {
    const { request, around } = this;
    const { authority, path, search } = targetOf(request.url ?? '/');
    try {
      this.requireOurHost(authority ?? request.headers.host);
      if (isCrossSiteWrite(request.method, request.headers, around.allowedOrigins)) {
        const detail = 'Requests of this web page are not allowed to change anything.';
        throw refuse('ORIGIN_NOT_ALLOWED', detail);
      }
      const match = table.find(path);
      if (match === undefined) return path;
      this.serveAt(match, search);
    } catch (error) {
      this.fail(error);
    }
    return undefined;
  }

  /** Serves what is found at the path of the request; undefined if nothing is. */
  serveAt(match: Match<PreparedRoute> | undefined, search = ''): void {
    try {
      if (this.request.method === 'OPTIONS') {
        this.options(match?.endpoint.allow);
        return;
      }
      if (match === undefined) throw refuse('ROUTE_UNKNOWN', 'There is no such route.');
      const { methods, allow } = match.endpoint;
      const method = this.request.method ?? '';
      const prepared = methods[method] ?? (method === 'HEAD' ? methods['GET'] : undefined);
      if (prepared === undefined) {
        this.notAllowed(method, allow, Object.values(methods)[0]);
        return;
      }
      this.prepared = prepared;
      this.admit(prepared, match.values, search);
    } catch (error) {
      this.fail(error);
    }
  }

  get expiresAt(): Micros {
    return this.admitted.expiresAt;
  }

  async isPermitted(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.admittedMs < ADMITTED_MS) return true;
    this.admittedMs = nowMs;
    try {
      await this.askAccess(this.prepared!);
      return true;
    } catch {
      return false; // A caller that cannot be checked comes back later.
    }
  }
  private admittedMs = performance.now();

  private askAccess({ route }: PreparedRoute): Admitted | Promise<Admitted> {
    const { permission, alwaysChecked } = route;
    const { access, ownAccess } = this.around;
    const check = access ?? (alwaysChecked ? ownAccess : undefined);
    if (check === undefined || isOpen(permission)) return ANYONE;
    return check.admit(this.request.headers.authorization, permission);
  }

  /** Serves the request if its caller is permitted to send it. */
  private admit(prepared: PreparedRoute, values: readonly string[], search: string): void {
    const { rateLimit } = prepared.route;
    const { rateLimits } = this.around;
    if (rateLimit !== undefined) this.rateHeaders = rateLimits.count(rateLimit, this.limited());
    const admitted = this.askAccess(prepared);
    if (!(admitted instanceof Promise)) {
      this.admitted = admitted;
      this.serve(prepared, values, search);
      return;
    }
    admitted
      .then((caller) => {
        this.admitted = caller;
        this.serve(prepared, values, search);
      })
      .catch((error: unknown) => {
        this.fail(error);
      });
  }
  private admitted: Admitted = ANYONE;
  private rateHeaders: Readonly<Record<string, string>> | undefined;

  private limited(): LimitedClient {
    const serviceToken = this.request.headers['x-service-token'];
    return { address: this.connection.address, serviceToken: serviceToken?.toString() };
  }

  /** Checks the host; only HTTP/1.0 may omit it. Errors: BODY_UNREADABLE, MISDIRECTED. */
  private requireOurHost(host: string | undefined): void {
    if (host === undefined) return;
    const verdict = this.around.hosts.judge(host);
    if (verdict === 'served') return;
    if (verdict === 'other') {
      throw refuse('MISDIRECTED', `This server does not answer for the host ${host}.`);
    }
    const message = 'must be one host, with or without a port';
    throw refuse('BODY_UNREADABLE', `Host ${message}.`, {
      findings: [{ location: 'header.Host', message, value: host }],
    });
  }

  private serve(prepared: PreparedRoute, values: readonly string[], search: string): void {
    const { headers, method } = this.request;
    const { route } = prepared;
    let path = readPath(prepared, values);
    if (this.services === undefined && route.whileStarting !== true) {
      throw unavailableWhileStarting(this.around.waitsFor());
    }
    const { page, query } = prepared.queried
      ? this.asking(route, () => readQuery(search, route, this.around.bounds))
      : NO_QUERY;
    const reading = method === 'GET' || method === 'HEAD';
    const consistencyToken = reading
      ? this.asking(route, () => consistencyTokenOf(headers))
      : undefined;
    const { parameter } = prepared;
    if (parameter) path = { ...path, [parameter.name]: headerUuidOf(headers, parameter) };
    const idempotency = route.idempotent === true ? idempotencyOf(headers) : undefined;
    const lastEventId = route.resumable === true ? lastEventIdOf(headers) : undefined;
    const context = this.context();
    const { version } = prepared;
    const { operationId } = route;
    const rest = {
      operationId,
      version,
      path,
      query,
      page,
      idempotency,
      lastEventId,
      context,
      consistencyToken,
      caller: this,
      client: { address: this.connection.address, authorization: headers.authorization },
    };

    if (route.body === undefined) {
      void this.handle(route, { ...rest, body: undefined });
      return;
    }
    requireIdentity(headers['content-encoding']);
    if (route.handleLines && mediaType(headers['content-type']) === NDJSON) {
      this.handleLines(route, { ...rest, body: undefined });
    } else {
      this.rest = rest;
      this.around.unread.add(this);
      readBody(this.request, route.bodyLimit ?? BODY_LIMIT_DEFAULT, this);
    }
  }
  private rest: Omit<Request, 'body'> | undefined;

  bodyRead(bytes: Buffer | Error): void {
    const prepared = this.prepared!;
    const { route } = prepared;
    const rest = this.rest!;
    if (bytes instanceof Error) {
      const isTooLarge = bytes instanceof Refusal && bytes.refusal === 'TOO_LARGE';
      this.fail(bytes, isTooLarge ? route.tooLargeStatus : undefined);
      return;
    }
    this.around.unread.delete(this);
    const limit = route.limit?.(this.services!);
    if (limit === undefined) void this.takeBody(prepared, bytes, rest);
    else this.waitForTurn(limit, bytes.length, () => this.takeBody(prepared, bytes, rest));
  }

  /** Runs a task when the limit admits it, unless its caller has disconnected by then. */
  private waitForTurn(
    limit: ConcurrencyLimit,
    bytes: number,
    task: () => Promise<void> | undefined,
  ): void {
    const begin = (): Promise<void> | undefined => {
      if (this.response.destroyed) throw refuse('UNAVAILABLE', 'The caller has disconnected.');
      return task();
    };
    limit.run(bytes, begin).catch((error: unknown) => {
      this.fail(error);
    });
  }

  /** Reads the values of the body and handles them. Returns a promise unless the reply is already sent; it never rejects. */
  private takeBody(
    prepared: PreparedRoute,
    bytes: Buffer,
    rest: Omit<Request, 'body'>,
  ): Promise<void> | undefined {
    const { route } = prepared;
    try {
      this.makeRoomFor(bytes.length);
      const form = formOf(route, this.request.headers['content-type']);
      if (form) return this.handleForm(prepared, form, bytes, rest);
      return this.handle(route, { ...rest, body: this.body(prepared, bytes) });
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  hasRoomFor(bytes: number, bodyBytes: number): boolean {
    if (!this.around.memory.takeArriving(bytes, bodyBytes)) return false;
    this.heldBytes += bytes;
    return true;
  }

  dropBody(): void {
    this.around.memory.release(this.heldBytes);
    this.heldBytes = 0;
  }

  /** Takes memory for the values of the body. Errors: UNAVAILABLE when there is none. */
  private makeRoomFor(bodyBytes: number): void {
    const { memory } = this.around;
    const bytes = memory.expansionOf(bodyBytes);
    if (!memory.takeExpansion(bytes, bodyBytes)) throw noRoom();
    this.heldBytes += bytes;
  }

  admitLargeBody(): Promise<void> | undefined {
    const { prepared, rest } = this;
    return rest && prepared?.route.admit?.(rest, this.services!);
  }

  /** Reads the query, or the token, which has the same refusal. */
  private asking<Asked>({ malformedQueryStatus }: Route, read: () => Asked): Asked {
    try {
      return read();
    } catch (error) {
      this.querySaid = malformedQueryStatus;
      throw error;
    }
  }
  private querySaid: number | undefined;

  private body({ route, places, validate }: PreparedRoute, bytes: Buffer): unknown {
    if (bytes.length === 0) {
      if (route.bodyOptional === true) return undefined;
      throw unreadable('it is empty');
    }
    requireJson(this.request.headers['content-type'], route);
    const sent = parseBytes(bytes, textOf(bytes), places);
    return validate === undefined ? sent : validate(sent);
  }

  private async handleForm(
    { route, validate }: PreparedRoute,
    form: Form,
    bytes: Buffer,
    rest: Omit<Request, 'body'>,
  ): Promise<void> {
    let body: unknown;
    try {
      const sent = await form.read(bytes, this.request.headers['content-type'] ?? '');
      body = validate === undefined ? sent : validate(sent);
    } catch (error) {
      this.fail(error);
      return;
    }
    await this.handle(route, { ...rest, body, client: { ...rest.client, sentForm: true } });
  }

  private context(): RequestContext {
    const correlationId = correlationIdOf(this.request.headers);
    const { requestId, trace } = this;
    const { actor, tenantId } = this.admitted;
    const who = { actor, tenantId, requestId };
    if (correlationId === undefined && trace === undefined) return who;
    return {
      ...who,
      ...(correlationId !== undefined && { correlationId }),
      ...(trace && { trace }),
    };
  }

  /**
   * Handles a body of lines. When the program ends, or the caller is no longer permitted to send them, accepted lines are
   * finished and no more are taken.
   */
  private handleLines(route: Route, request: Request): void {
    const { isClosing, memory, unread } = this.around;
    const isPermitted = (): Promise<boolean> => this.isPermitted();
    // To end the reading must not destroy the request: its connection still carries the reply.
    const chunks: AsyncIterable<Buffer> = this.request.iterator({ destroyOnReturn: false });
    this.connection.onIdle(LINES_IDLE_MS, () => this.cutOffIdle());
    this.response.once('finish', () => unread.add(this)); // Lines that nobody takes any more may still come.
    const lines = (async function* (): Lines {
      for await (const line of linesOf(chunks, BODY_LIMIT_DEFAULT, memory)) {
        if (isClosing() || !(await isPermitted())) return;
        yield line;
      }
    })();
    void this.settle(route, () => route.handleLines!(request, lines, this.services!));
  }

  private handle(route: Route, request: Request): Promise<void> | undefined {
    const services = this.services!; // Routes that are served while it starts use none.
    const ownJournals = this.services?.ownJournals;
    if (ownJournals === undefined || request.consistencyToken === undefined) {
      return this.settle(route, () => route.handle(request, services));
    }
    return this.settle(route, async () => {
      await ownJournals.mustHave(request);
      return route.handle(request, services);
    });
  }

  /** Replies with what a handler returns. Returns a promise if that takes time; it never rejects. */
  private settle(route: Route, handle: () => Reply | Promise<Reply>): Promise<void> | undefined {
    let reply: Reply | Promise<Reply>;
    try {
      reply = handle();
    } catch (error) {
      this.fail(error, cursorStatus(route, error));
      return undefined;
    }
    if (reply instanceof Promise) {
      return reply.then(this.answer, (error: unknown) => {
        this.fail(error, cursorStatus(route, error));
      });
    }
    this.answer(reply);
    return undefined;
  }

  private readonly answer = (made: Reply): void => {
    const { request, response, around } = this;
    if (this.heldBytes > 0) this.dropBody();
    const reply = around.memory.isFull ? this.withinMemory(made) : made;
    const { origin } = request.headers;
    let extra = origin === undefined ? undefined : corsHeaders(origin, around.allowedOrigins);
    if (this.prepared?.headers) extra = { ...extra, ...this.prepared.headers };
    if (this.rateHeaders) extra = { ...extra, ...this.rateHeaders };
    if (this.trace !== undefined) extra = { ...extra, ...this.trace };
    if (around.isClosing()) extra = { ...extra, Connection: 'close' };
    const bytes = send(request, response, reply, this.requestId, extra, this.cutOff);
    if (reply.chunks !== undefined || response.writableLength > 0) this.watchUnsent();
    if (!request.complete && reply.chunks === undefined) around.unread.add(this);
    const ms = performance.now() - this.startedMs;
    around.metrics.observe(this.operation, reply.status, ms);
    if (typeof bytes === 'number') this.finish(reply.status, bytes, ms);
    else
      void bytes.then((sent) =>
        this.finish(reply.status, sent, performance.now() - this.startedMs),
      );
  };

  /** Follows a reply that the network has not taken at once. */
  watchUnsent(): void {
    if (this.isWatched) return;
    this.isWatched = true;
    this.around.unsent.watch(this, this.requestId, this.operation);
  }

  private get operation(): string {
    return this.prepared?.route.operationId ?? 'none';
  }

  private endSpan(span: RequestSpan, path: string | undefined, status: number): void {
    const { method = '' } = this.request;
    span.end({
      name: path === undefined ? method : `${method} ${path}`,
      isFault: status >= 500,
      attributes: {
        'http.request.method': method,
        'http.response.status_code': status,
        'quipu.request_id': this.requestId,
        ...(path !== undefined && { 'http.route': path }),
      },
    });
  }

  /** The ids that name this request in the log. */
  private get ids(): Pick<LoggedRequest, 'requestId' | 'traceId'> {
    return { requestId: this.requestId, traceId: this.trace && traceIdOf(this.trace) };
  }

  /** Writes the line of the request and ends its span. */
  private finish(status: number, bytes: number, ms: number): void {
    const { actor, tenantId } = this.admitted;
    const route = this.prepared?.route;
    if (this.span !== undefined && !isProbe(route)) this.endSpan(this.span, route?.path, status);
    this.around.requests.write(route, {
      ...this.ids,
      method: this.request.method ?? '',
      status,
      ms: Math.round(ms * 100) / 100,
      bytes,
      tenant: tenantId === SINGLE_TENANT ? undefined : tenantId,
      actor: actor === ANYONE.actor ? undefined : actor.id,
    });
  }

  /** Refuses large replies to reads while memory is full; the reply to a write is always sent. */
  private withinMemory(reply: Reply): Reply {
    const isRead = SAFE_METHODS.has(this.request.method ?? '');
    if (!isRead || sizeOf(reply) <= SMALL_BODY_BYTES) return reply;
    return problemOf(noRoom(), { requestId: this.requestId }, this.around.problems);
  }

  private cutOffIdle(): void {
    const message = `a body of lines was cut off because nothing moved for ${String(LINES_IDLE_MS / 1000)} s`;
    this.around.problems.log.warn(this.ids, message);
    this.request.destroy();
  }

  /** Logs that a reply broke off; its caller sees only a broken connection. */
  private readonly cutOff = (error: unknown): void => {
    this.around.problems.log.error({ ...this.ids, cause: error }, 'answer cut off');
  };

  /** Answers with the problem document of an error; of any but a Refusal, it tells nothing. */
  fail(error: unknown, status = this.querySaid): void {
    const { entityType, codes } = this.prepared?.route ?? {};
    const occasion = { ...this.ids, entityType, codes, status };
    const problem = problemOf(error, occasion, this.around.problems);
    if (OF_SENDERS.has(problem.kind) || error instanceof RateLimited) {
      const { actor } = error instanceof PermissionRefused ? error : this.admitted;
      this.keepRefused(problem, actor);
    }
    this.answer(problem);
  }

  private keepRefused({ status, code }: ProblemReply, actor: Actor): void {
    const { metrics, refused, clock } = this.around;
    const { id: subject, clientId: client } = actor === ANYONE.actor ? NO_ONE : actor;
    metrics.refused(code);
    refused?.record({
      ...{ at: clock.now(), status, code, method: this.request.method ?? '' },
      ...{ route: this.prepared?.route.path, requestId: this.requestId, subject, client },
    });
  }

  /** Refuses a method in the words of an operation with the same path. */
  private notAllowed(method: string, allow: string, other: PreparedRoute | undefined): void {
    const occasion = { requestId: this.requestId, codes: other?.route.codes };
    const refusal = refuse('METHOD_NOT_ALLOWED', `${method} is not allowed here, only ${allow}.`);
    const problem = problemOf(refusal, occasion, this.around.problems);
    this.answer({ ...problem, headers: { ...problem.headers, Allow: allow } });
  }

  /** A preflight succeeds for every path; the request itself is refused if there is no route. */
  private options(allow: string | undefined): void {
    const { headers } = this.request;
    if (headers['access-control-request-method'] !== undefined) {
      const wanted = headers['access-control-request-headers'];
      this.answer({ status: 204, headers: preflightHeaders(wanted) });
    } else if (allow === undefined) {
      throw refuse('ROUTE_UNKNOWN', 'There is no such route.');
    } else {
      this.answer({ status: 204, headers: { Allow: `${allow}, OPTIONS` } });
    }
  }
}

/** Finds the reader of a body that is not JSON. */
function formOf({ forms }: Route, contentType: string | undefined): Form | undefined {
  if (forms === undefined) return undefined;
  const type = mediaType(contentType) ?? '';
  return Object.hasOwn(forms, type) ? forms[type] : undefined;
}

type RequestTarget = Readonly<{ authority?: string; path: string; search: string }>;

function targetOf(url: string): RequestTarget {
  return url.startsWith('/') ? splitTarget(url) : absoluteTarget(url);
}

function splitTarget(target: string): RequestTarget {
  const question = target.indexOf('?');
  return question === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, question), search: target.slice(question + 1) };
}

/**
 * Parses a target as sent to a proxy; its authority then counts instead of Host (RFC 9112 §3.2.2). The empty path
 * matches nothing.
 */
function absoluteTarget(target: string): RequestTarget {
  const url = URL.parse(target);
  if (url === null || !/^https?:$/.test(url.protocol)) return { path: '', search: '' };
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(target)?.[1] ?? '';
  return { authority, ...splitTarget(url.pathname + url.search) };
}

/** Returns the status of a malformed cursor, which only the cursor's reader can detect. */
const cursorStatus = ({ malformedQueryStatus }: Route, error: unknown): number | undefined =>
  error instanceof Refusal && error.refusal === 'QUERY_INVALID' ? malformedQueryStatus : undefined;

const NO_ONE: Partial<Actor> = {};
const ANYONE: Admitted = {
  actor: { type: 'anonymous', id: 'anonymous' },
  tenantId: SINGLE_TENANT,
  expiresAt: Infinity as Micros,
};
/** A caller is asked about again no sooner, because another service may have to decide. */
const ADMITTED_MS = 5000;
/** A body of lines ends when nothing was sent and nothing was taken for this long. */
const LINES_IDLE_MS = 60_000;
/** Refusals that depend on who sends a request, and from where, rather than on its content. */
const OF_SENDERS: ReadonlySet<RefusalKind> = new Set([
  'unauthenticated',
  'credential',
  'forbidden',
  'misdirected',
]);
const NO_QUERY = { page: undefined, query: {} } as const;
