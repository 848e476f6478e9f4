import type { Uuid } from '#src/kernel/ids.ts';

/** A stored password, as far as its hash may be known outside. */
export type PasswordState = Readonly<{
  /** The change by which it was set, whose event may still be missing. */
  changeId: Uuid;
  /** Grows with every change. */
  version: number;
}>;

/**
 * Stores passwords and client secrets, as hashes only, in the SecretStore. Tenants are known by the id that their events
 * record. Errors: Unavailable.
 */
export interface Credentials {
  /**
   * Sets a password. Returns false if it was changed since the given version; without one, any password is replaced.
   * Errors: Destroyed after `destroyPassword`.
   */
  setPassword(
    user: Readonly<{ id: Uuid; tenantId: string }>,
    password: string,
    changeId: Uuid,
    version?: number,
  ): Promise<boolean>;

  /** Returns the state of a user's password; undefined if there is none. */
  password(userId: Uuid): Promise<PasswordState | undefined>;

  /**
   * Returns whether a password is right, which takes equally long for a user that does not exist. Calls beyond a few at
   * once wait, because each takes 19 MiB of memory.
   */
  verifyPassword(userId: Uuid | undefined, password: string): Promise<boolean>;

  destroyPassword(userId: Uuid): Promise<void>;

  /**
   * Stores the hash of a client's secret, or of a new one. Returns the secret, which cannot be read again; undefined if the
   * client id is or was that of another client.
   */
  createSecret(
    client: Readonly<{ clientId: string; tenantId: string }>,
    secret?: string,
  ): Promise<string | undefined>;

  /** Returns the secret of a client where secrets are exposed by a setting, and were when it was created. */
  exposedSecret(clientId: string): Promise<string | undefined>;

  /** Returns the tenant of a client; undefined if the secret is not the client's. */
  verifySecret(clientId: string, secret: string): Promise<string | undefined>;

  destroySecret(clientId: string): Promise<void>;

  /** Lists the users and clients that have one, to find those that never came to be. */
  list(): AsyncIterable<CredentialOwner>;
}

export type CredentialOwner =
  | Readonly<{ of: 'user'; tenantId: string; userId: Uuid; changeId: Uuid }>
  /** `since`: when the secret was created. */
  | Readonly<{ of: 'client'; tenantId: string; clientId: string; since: string }>;
