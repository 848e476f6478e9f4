/** A secret as it is kept; `version` grows with every change. */
export type Secret = Readonly<{ value: Uint8Array; version: number }>;

/**
 * Keys, password hashes and tokens: in no log, snapshot or read model, and in no error message. Destroying one is
 * final: neither its file nor its pages keep it.
 *
 * Errors: Unavailable.
 */
export interface SecretStore {
  get(name: string): Promise<Secret | undefined>;

  /**
   * Writes only what was expected: `undefined` that there is none (nor was one destroyed), else its version. Answers
   * the new version, or undefined when another was first.
   */
  compareAndSet(
    name: string,
    expected: number | undefined,
    value: Uint8Array,
  ): Promise<number | undefined>;

  /** Writes whatever was there, unless it was destroyed; answers the new version. Errors: Destroyed. */
  put(name: string, value: Uint8Array): Promise<number>;

  /** The name stays taken for ever, so that no late write brings it back. */
  destroy(name: string): Promise<void>;

  /** All that live, for a move to another store. */
  list(): AsyncIterable<Readonly<{ name: string; secret: Secret }>>;

  /** The names of those that were destroyed, for the same: they are to stay taken there. */
  listDestroyed(): AsyncIterable<string>;

  close(): Promise<void>;
}

/** The secret was destroyed, and its name with it. */
export class Destroyed extends Error {
  constructor(name: string) {
    super(`The secret ${name} was destroyed`);
    this.name = 'Destroyed';
  }
}
