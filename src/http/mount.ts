import type { RefusalName } from '#src/kernel/errors.ts';
import type { ComponentCodes } from './error-code.ts';

/** A path prefix at which a component's operations are served, by the rules of a version. */
export type Mount = Readonly<{
  /** The prefix of their paths; an operation belongs to the first mount that matches. */
  prefix: `/${string}`;
  version: 1 | 2;
  /** Serves the operations of another prefix as well, unless they are declared as `only` of another mount. */
  copies?: Readonly<{ prefix: `/${string}`; idSuffix: string }>;
  parameter?: HeaderParameter;
  /** The namespace of the permissions of its operations, instead of the declared one. */
  namespace?: string;
  /** The version whose rules hold for bodies, if it is another one. */
  bodies?: 1 | 2;
  /** Other names of path segments, path parameters and resources of permissions, by the declared ones. */
  renames?: Readonly<Record<string, string>>;
  /** The codes of refusals that its clients know by another code or status. */
  codes?: ComponentCodes;
  /** The setting that moves these operations to their own port, such as FEES_PORT. */
  listener?: string;
  /** Callers of its operations are checked even while access management is off. */
  alwaysChecked?: true;
  /** The rate limit of operations that name no other. */
  rateLimit?: string;
}>;

/** A header that carries a UUID which operations declare in their path; handlers find it there. */
export type HeaderParameter = Readonly<{
  header: string;
  /** The part that the served path omits, such as `/holders/{holder_id}`. */
  segments: `/${string}/{${string}}`;
  absent: RefusalName;
  malformed: RefusalName;
}>;
