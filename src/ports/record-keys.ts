import type { KeyScope } from './key-wrapping.ts';
import type { SearchToken, TakenToken, TokenEntry } from './token-index.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** A record with a key of its own. */
export type ProtectedRecord = KeyScope & Readonly<{ recordId: Uuid }>;

/** The value of a field, such as `contact.primaryEmail`. */
export type FieldValue = Readonly<{ field: string; value: string }>;

/** The key of one record. Its bytes are in memory only and cannot be read from it. */
export interface DataKey {
  /** Encrypts the value of a field, so that it opens only as that field of this record. */
  seal(field: string, value: string): string;

  /** Errors: Damaged if the value was altered, or sealed as another field or record. */
  open(field: string, sealed: string): string;

  sealFields<Field extends string>(values: Readonly<Record<Field, string>>): Record<Field, string>;

  /** Errors: as `open`. */
  openFields<Field extends string>(sealed: Readonly<Record<Field, string>>): Record<Field, string>;

  /** Hashes a request with this key, so that its content cannot be guessed from the hash. */
  fingerprint(text: string): string;
}

/**
 * Manages the keys that seal personal data. Errors: Unavailable, KeyServiceUnavailable; Damaged if a stored key cannot
 * be unwrapped.
 */
export interface RecordKeys {
  /** Prepares an organization for protected records unless it is prepared. */
  provision(scope: KeyScope): Promise<OrganizationKeys>;

  /** Computes the search tokens of exact values, in the given order. */
  tokens(scope: KeyScope, values: readonly FieldValue[]): Promise<readonly SearchToken[]>;

  /**
   * Creates the key of a new record and indexes the record's tokens; both are durable when it resolves, before the event
   * that uses them. If another record holds a claimed token, that record is returned and nothing is stored. Errors:
   * Destroyed if the record ever had a key.
   */
  create(record: ProtectedRecord, entry: TokenEntry): Promise<CreatedKey | TakenClaim>;

  /** Returns the key of a record; undefined if it was destroyed or never existed. */
  open(record: ProtectedRecord): Promise<DataKey | undefined>;

  /** Adds tokens by which a record is found. Errors: Destroyed if the record has no key. */
  extend(record: ProtectedRecord, tokens: readonly SearchToken[]): Promise<void>;

  /** Removes all other tokens of a record that claims none. */
  retain(record: ProtectedRecord, tokens: readonly SearchToken[]): Promise<void>;

  /** Destroys the key and all tokens of a record, which leave no byte behind. */
  destroy(record: ProtectedRecord): Promise<void>;

  /**
   * Wraps all keys again that an older version of a wrapping key has wrapped, until the signal is aborted. Returns how many
   * were. Older versions may be ended when it has returned without being aborted.
   */
  rewrap(stop: AbortSignal, onChecked?: (secrets: number) => void): Promise<number>;

  /** Lists all keys, to find those whose record never came to be. */
  list(): AsyncIterable<StoredRecordKey>;
}

/** `taken` tells the two results of `create` apart. */
export type CreatedKey = Readonly<{ key: DataKey; taken?: undefined }>;
export type TakenClaim = Readonly<{ taken: TakenToken }>;

export type StoredRecordKey = ProtectedRecord & Readonly<{ since: string }>;

/** The keys that serve an organization. */
export type OrganizationKeys = Readonly<{
  /** The place of the key that wraps data keys. */
  kekPath: string;
  aeadPrimaryKeyId: string;
  prfPrimaryKeyId: string;
}>;
