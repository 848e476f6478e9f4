import type { Uuid } from '#src/kernel/ids.ts';

/** A keyed hash of a value, by which records are found without their plain text; base64url. */
export type SearchToken = string;

/** The address of a record with a key of its own. */
export type RecordAddress = Readonly<{ organizationId: Uuid; recordId: Uuid }>;

/** A token that at most one record may hold. `expected` is the holder that loses it, undefined if it must be free. */
export type TokenClaim = Readonly<{ token: SearchToken; expected?: Uuid }>;

/** The tokens by which a record is found, and those it claims. */
export type TokenEntry = Readonly<{
  tokens: readonly SearchToken[];
  claims: readonly TokenClaim[];
}>;

/** A claimed token that another record holds. */
export type TakenToken = Readonly<{ token: SearchToken; recordId: Uuid }>;

/**
 * Finds records by search tokens and decides claims to unique ones. It stores the wrapped key of a record together with
 * the record's tokens, as a secret of the SecretStore, so that one durable step creates or erases both.
 *
 * A change is durable when it resolves, and takes effect completely or not at all. Errors: Unavailable.
 */
export interface TokenIndex {
  /**
   * Stores the secret and the tokens of a new record. Returns the first claimed token that another record holds;
   * nothing is stored then. Errors: Destroyed if the record was erased or already has a secret.
   */
  add(
    record: RecordAddress,
    secret: Uint8Array,
    entry: TokenEntry,
  ): Promise<TakenToken | undefined>;

  /** Adds tokens to those of a record. Returns as `add`. Errors: Destroyed if the record has no secret. */
  extend(record: RecordAddress, entry: TokenEntry): Promise<TakenToken | undefined>;

  /** Removes all other tokens and claims of a record. It adds none: a claim that was taken over stays lost. */
  retain(
    record: RecordAddress,
    kept: Readonly<Record<'tokens' | 'claims', readonly SearchToken[]>>,
  ): Promise<void>;

  /**
   * Erases a record: destroys its secret and removes its tokens and claims. No byte of them remains in the store's
   * files. Its name stays taken, so that no late write restores anything.
   */
  erase(record: RecordAddress): Promise<void>;

  /** Finds the records of an organization with a token, ordered by id, from the one after `after`. */
  find(
    organizationId: Uuid,
    token: SearchToken,
    page: Readonly<{ after?: Uuid; limit: number }>,
  ): Promise<readonly Uuid[]>;

  /** Returns the record that holds a claimed token. */
  holder(token: SearchToken): Promise<Uuid | undefined>;

  /** Lists all records with tokens or claims, to move them to another store. */
  list(): AsyncIterable<IndexedRecord>;

  close(): Promise<void>;
}

export type IndexedRecord = RecordAddress &
  Readonly<Record<'tokens' | 'claims', readonly SearchToken[]>>;
