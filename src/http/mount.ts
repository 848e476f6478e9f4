import type { RefusalName } from '#src/kernel/errors.ts';

/** A place at which a component's operations are served, by the rules of a version. */
export type Mount = Readonly<{
  /** Their paths begin with it; an operation belongs to the first mount of which this holds. */
  prefix: `/${string}`;
  version: 1 | 2;
  /** Serves the operations of another prefix as well, unless they are declared as `only` of version 1. */
  copies?: Readonly<{ prefix: `/${string}`; idSuffix: string }>;
  parameter?: HeaderParameter;
  /** The setting that moves these operations to a port of their own, such as FEES_PORT. */
  listener?: string;
}>;

/** A header carries a UUID that operations declare in their path; handlers find it there. */
export type HeaderParameter = Readonly<{
  header: string;
  /** Left out of the served path, such as `/holders/{holder_id}`. */
  segments: `/${string}/{${string}}`;
  absent: RefusalName;
  malformed: RefusalName;
}>;
