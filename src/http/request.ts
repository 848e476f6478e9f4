import type { Instant, Micros } from '#src/kernel/instant.ts';
import type { TraceContext } from '#src/kernel/trace-context.ts';
import type { Caller } from '#src/ports/read-store.ts';
import type { ConsistencyToken } from './reply.ts';

/** A request as handlers receive it: every member is checked and typed, and independent of the transport. */
export type Request<Path = unknown, Body = unknown, Query = unknown, Page = unknown> = Readonly<{
  operationId: string;
  /** The major version in the path. */
  version: 1 | 2;
  path: Path;
  /** Undefined when the route takes no body, or an optional one was not sent. */
  body: Body;
  /** The route's own filters; those of every list are in `page`. */
  query: Query;
  page: Page;
  idempotency: Idempotency | undefined;
  /** Last-Event-ID as sent, for routes that are resumable; undefined if it is empty. */
  lastEventId: string | undefined;
  context: RequestContext;
  consistencyToken: ConsistencyToken | undefined;
  /** The client; long reads end when it is gone. */
  caller: RequestCaller;
  /** Read by operations that authenticate their callers themselves. */
  client: RequestClient;
}>;

/** The other end of the connection, and the credentials that it sends. */
export type RequestClient = Readonly<{
  address: string;
  authorization: string | undefined;
  /** True if the body is a form. */
  sentForm?: true;
}>;

/** The client of a request, for those whose reply takes longer than the check that let it in may hold. */
export interface RequestCaller extends Caller {
  /** The time at which its token expires; Infinity without one. */
  readonly expiresAt: Micros;
  /** Resolves to whether it would be let in again; asks at most every 5 seconds. */
  isPermitted(): Promise<boolean>;
}

/** The context that is stored in the metadata of every event. */
export type RequestContext = Readonly<{
  actor: Readonly<{ type: string; id: string; clientId?: string }>;
  tenantId: string;
  requestId: string;
  correlationId?: string;
  trace?: TraceContext;
}>;

export type SortOrder = 'asc' | 'desc';

/** The parameters of every list (contract ledger §1.7); undefined if the client sent none. */
export type PageRequest = Readonly<{
  /** 1 … MAX_PAGINATION_LIMIT; the default is filled in. */
  limit: number;
  page: number | undefined;
  /** The cursor as sent; only its reader knows its content. */
  cursor: string | undefined;
  sortOrder: SortOrder | undefined;
  /** Inclusive. */
  startDate: Instant | undefined;
  /** Inclusive; a bare date means its last microsecond. */
  endDate: Instant | undefined;
  /** Conditions on metadata keys, compared as text. */
  metadata: readonly Readonly<{ key: string; value: string }>[];
  /** True if none of these parameters was sent. */
  bare: boolean;
}>;

/** An idempotency key; without `ttlSeconds`, it does not expire. */
export type Idempotency = Readonly<{ key: string; ttlSeconds?: number }>;
