/** A stored secret; `version` grows with every change. */
export type Secret = Readonly<{ value: Uint8Array; version: number }>;

/**
 * Stores keys, password hashes and tokens, which appear in no log, snapshot, read model or error message. Destroying
 * one is final: neither its file nor freed pages keep it. Errors: Unavailable.
 */
export interface SecretStore {
  get(name: string): Promise<Secret | undefined>;

  /**
   * Writes if the current version is the expected one; `undefined` expects a name that never had a secret. Returns the
   * new version, or undefined if another write was first.
   */
  compareAndSet(
    name: string,
    expected: number | undefined,
    value: Uint8Array,
  ): Promise<number | undefined>;

  /** Writes regardless of the current version. Returns the new version. Errors: Destroyed. */
  put(name: string, value: Uint8Array): Promise<number>;

  /** Destroys a secret. Its name stays taken for good, so that no late write restores it. */
  destroy(name: string): Promise<void>;

  /** Lists all secrets that exist, to move them to another store. */
  list(): AsyncIterable<Readonly<{ name: string; secret: Secret }>>;

  /** Lists the names of destroyed secrets, which must stay taken in another store too. */
  listDestroyed(): AsyncIterable<string>;

  close(): Promise<void>;
}

/** The secret was destroyed; its name cannot be used again. */
export class Destroyed extends Error {
  constructor(name: string) {
    super(`The secret ${name} was destroyed`);
    this.name = 'Destroyed';
  }
}
