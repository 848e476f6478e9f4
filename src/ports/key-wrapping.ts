import type { Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from './errors.ts';

/** The organization whose wrapping key is used. */
export type KeyScope = Readonly<{ tenantId: string; organizationId: Uuid }>;

/**
 * Wraps data keys with a key of their organization, which never leaves the key service or the settings. A wrapped key
 * names the version that wrapped it, so that older versions stay readable after a rotation.
 *
 * Errors: Unavailable, or KeyServiceUnavailable when a key service is behind it.
 */
export interface KeyWrapping {
  /** Creates the wrapping key of an organization unless it has one. */
  provision(scope: KeyScope): Promise<WrappingKey>;

  wrap(scope: KeyScope, key: Uint8Array): Promise<string>;

  /** Errors: Damaged if the value was altered, wrapped for another organization, or by a version that is gone. */
  unwrap(scope: KeyScope, wrapped: string): Promise<Uint8Array>;

  /** Wraps a key again with the newest version; returns undefined if that version wrapped it. Errors: as `unwrap`. */
  rewrap(scope: KeyScope, wrapped: string): Promise<string | undefined>;

  close(): Promise<void>;
}

export type WrappingKey = Readonly<{
  /** Its place in the key service, or `environment`. */
  path: string;
  /** Identifies the version that wraps new keys. */
  keyId: string;
}>;

/** The error that a key service reported, for problem documents. */
export type Upstream = Readonly<{ code: string; message: string }>;

/** The key service cannot be reached, or did not carry out a call; `upstream` is set if it responded. */
export class KeyServiceUnavailable extends Unavailable {
  readonly upstream: Upstream | undefined;

  constructor(
    message: string,
    { upstream, ...options }: ErrorOptions & { upstream?: Upstream } = {},
  ) {
    super(message, options);
    this.name = 'KeyServiceUnavailable';
    this.upstream = upstream;
  }
}
