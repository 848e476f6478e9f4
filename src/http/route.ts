import type { Descriptions } from '#src/kernel/descriptions.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Filtered, Filters } from '#src/kernel/filters.ts';
import type { Permission } from '#src/kernel/permission.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { ComponentCodes } from './error-code.ts';
import type { BodyLine } from './lines.ts';
import type { HeaderParameter } from './mount.ts';
import type { PublishedSchema, Schema, Shaped } from '#src/kernel/schema.ts';
import type { Reply } from './reply.ts';
import type { PageRequest, Request } from './request.ts';
import type { Services } from './services.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head';

/** The style in which a client pages through a list (contract ledger §1.7). */
export type Paging = 'page' | 'cursor' | 'union';

/** An operation as data: the router, the validators, authorization and the API description read it. */
export type Route = RouteFacts &
  Readonly<{
    permission: Permission;
    body: Schema | undefined;
    filters: Filters;
    paging: Paging | undefined;
    handle: (request: Request, services: Services) => Reply | Promise<Reply>;
    handleLines?: (request: Request, lines: Lines, services: Services) => Reply | Promise<Reply>;
  }>;

/** Another media type of a body, read as the equivalent JSON, which the operation's schema then checks. */
export type Form = Readonly<{
  /** Describes the body; `read` is also called for an empty one. */
  schema: Schema;
  read: (bytes: Buffer, contentType: string) => unknown;
}>;

/** The lines of a request of type application/x-ndjson, as they arrive. */
export type Lines = AsyncIterable<BodyLine>;

/** Declares an operation. It types `path`, `body`, `query` and `page` of the request. */
export function route<
  const Path extends `/${string}`,
  const Body extends Schema | undefined = undefined,
  const Query extends Filters = EmptyFilters,
  const P extends Paging | undefined = undefined,
>(declared: Declaration<Path, Body, Query, P>): Route {
  const { permission, handle, handleLines, ...facts } = declared;
  return {
    ...facts,
    permission: typeof permission === 'string' ? corePermission(permission) : permission,
    body: declared.body,
    filters: declared.filters ?? {},
    paging: declared.paging,
    // The declaration checked it against the types that the server builds from the same declaration.
    handle: handle as Route['handle'],
    ...(handleLines && { handleLines: handleLines as NonNullable<Route['handleLines']> }),
  };
}

export type Declaration<
  Path extends string,
  Body extends Schema | undefined,
  Query extends Filters,
  P extends Paging | undefined,
> = Omit<RouteFacts, 'path'> &
  Readonly<{
    path: Path;
    permission: `${string}:${string}` | Permission;
    body?: Body;
    filters?: Query;
    paging?: P;
    handle: (
      request: Request<PathOf<Path>, BodyOf<Body>, Filtered<Query>, PageOf<P>>,
      services: Services,
    ) => Reply | Promise<Reply>;
    /** Handles application/x-ndjson as well, in lines of at most 1 MiB; see `lines`. */
    handleLines?: (
      request: Request<PathOf<Path>, undefined, Filtered<Query>, PageOf<P>>,
      lines: Lines,
      services: Services,
    ) => Reply | Promise<Reply>;
  }>;

type RouteFacts = Readonly<{
  /** Unique in the whole table. */
  operationId: string;
  summary: string;
  description?: string;
  /** The specification's group, e.g. `Accounts`. */
  tag: string;
  method: Method;
  /** The path, such as `{organization_id}`: names in `_id` are UUIDs, others arrive as decoded text. */
  path: string;
  /** Schemas of path parameters that are not ids, only for the description. */
  pathSchemas?: Readonly<Record<string, PublishedSchema>>;
  /** A rule over several filters, which the description must state on one object that contains them all. */
  filtersTogether?: PublishedSchema;
  /** The kind of resource that problem documents name. */
  entityType: string;
  /** The maximum length of the body, in bytes; default 1 MiB. */
  bodyLimit?: number;
  /** The status for a body that is too large, if not 413; settings use 400. */
  tooLargeStatus?: 400;
  /** An absent body counts as `{}`. */
  bodyOptional?: true;
  /** Other forms of the body by media type, in addition to application/json. */
  forms?: Readonly<Record<string, Form>>;
  /** The schemas of a line that handleLines takes, and of a line of its reply. */
  lines?: Readonly<{ item: Schema; result: Schema }>;
  /** Takes X-Idempotency (or Idempotency-Key) and X-TTL. */
  idempotent?: true;
  /** Takes Last-Event-ID. */
  resumable?: true;
  /** Either date may be sent alone (the organization-level transaction-route list). */
  loneDates?: true;
  /** The records have no metadata to filter by, so `metadata.*` is an unknown parameter of this list and is ignored. */
  noMetadata?: true;
  /** Set by the mount; 1 for probes and pages. */
  version?: 1 | 2;
  /** Set by the mount: a path parameter that is sent in a header. */
  headerParameter?: HeaderParameter;
  /** The operation is deprecated; it names the path of the one to use instead. */
  successor?: string;
  /** Set by the mount: the declared names of path parameters that it serves under others. */
  declaredNames?: Readonly<Record<string, string>>;
  /** Set by the mount: the setting of the operation's own port. */
  listener?: string;
  /** Set by the mount: callers are checked even while access management is off. */
  alwaysChecked?: true;
  /** The rate limit that requests count against, if it is not that of the mount. */
  rateLimit?: string;
  /** Served before the stores are open; the handler must not use services. */
  whileStarting?: true;
  /** Every declared refusal; by default, those of the platform. */
  catalog?: RefusalCatalog;
  /** Describes tags, members and parameters that do not describe themselves. */
  descriptions?: Descriptions;
  /** The codes that the operation, or its component, assigns to refusals. */
  codes?: ComponentCodes;
  /** The refusal of an invalid page number, if that has a code of its own. */
  pageRefusal?: RefusalName;
  /** These records have no unique indexes on metadata. */
  noUniqueMetadata?: true;
  /** The status for malformed query values, for operations whose description has no 400 (§1.8). */
  malformedQueryStatus?: 422;
  /** The media type of a success, if not JSON. */
  media?: string;
  /** Headers that a success may carry beyond those of its kind, with what they say. */
  replyHeaders?: Readonly<Record<string, HeaderText>>;
  /** The schema of the body by status; `null` for no body. */
  replies: Readonly<Record<number, Schema | null>>;
  /** Replies of version 2, where they differ; the handler knows the version. */
  repliesV2?: Readonly<Record<number, Schema | null>>;
  /** With 1, no other mount copies it; with `path`, mounts with a header parameter do not serve it. */
  only?: 1 | 'path';
  /** Refuses a request before its large body is read in vain; `handle` checks the same again. */
  admit?: (request: Omit<Request, 'body'>, services: Services) => Promise<void>;
  /** Lets complete bodies wait as bytes until it is their turn, because their values take many times the memory. */
  limit?: (services: Services) => ConcurrencyLimit;
  /** The refusals beyond those that every operation may return. */
  refusals: readonly RefusalName[];
}>;

/** Describes a header of a reply. */
export type HeaderText = Readonly<{ description: string; schema: PublishedSchema }>;

type EmptyFilters = Readonly<Record<never, never>>;

/** The parameters of a path template, as the handler sees them. */
export type PathOf<Path extends string> = Readonly<{
  [Name in PathNames<Path>]: Name extends `${string}_id` | 'id' ? Uuid : string;
}>;

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

type BodyOf<Body> = Body extends Schema ? Shaped<Body> : undefined;

type PageOf<P extends Paging | undefined> = P extends Paging ? PageRequest : undefined;

function corePermission(text: string): Permission {
  const [resource = '', action = ''] = text.split(':');
  return { namespace: 'core', resource, action };
}
