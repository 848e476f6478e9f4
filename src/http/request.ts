import type { Instant } from '#src/kernel/instant.ts';
import type { Caller } from '#src/ports/read-store.ts';
import type { ConsistencyToken } from './reply.ts';

/** A request as handlers get it: every member is checked and typed, and nothing of the transport is left. */
export type Request<Path = unknown, Body = unknown, Query = unknown, Page = unknown> = Readonly<{
  operationId: string;
  /** Major version in the path. */
  version: 1 | 2;
  path: Path;
  /** Undefined when the route takes none, or takes an optional one and none came. */
  body: Body;
  /** The route's own filters; the ones every list takes are in `page`. */
  query: Query;
  page: Page;
  idempotency: Idempotency | undefined;
  context: RequestContext;
  consistencyToken: ConsistencyToken | undefined;
  /** Long reads end when it is gone. */
  caller: Caller;
}>;

/** Goes into the metadata of every event. */
export type RequestContext = Readonly<{
  actor: Readonly<{ type: string; id: string; clientId?: string }>;
  tenantId: string;
  requestId: string;
  correlationId?: string;
}>;

export type SortOrder = 'asc' | 'desc';

/** Every list takes these (contract ledger §1.7); undefined if the client sent none. */
export type PageRequest = Readonly<{
  /** 1 … MAX_PAGINATION_LIMIT; the default is filled in. */
  limit: number;
  page: number | undefined;
  /** As sent; only its reader knows its inside. */
  cursor: string | undefined;
  sortOrder: SortOrder | undefined;
  /** Inclusive. */
  startDate: Instant | undefined;
  /** Inclusive; a bare date means its last microsecond. */
  endDate: Instant | undefined;
  /** Equality per metadata key, compared as text. */
  metadata: readonly Readonly<{ key: string; value: string }>[];
  /** Nothing of all this was sent. */
  bare: boolean;
}>;

/** Without `ttlSeconds` the key does not expire. */
export type Idempotency = Readonly<{ key: string; ttlSeconds?: number }>;
