import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { KeyScope, KeyWrapping } from '#src/ports/key-wrapping.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { FieldValue } from '#src/ports/record-keys.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { SearchToken } from '#src/ports/token-index.ts';
import { KEY_BYTES } from './data-key.ts';

/** A key of search tokens with its public id. */
export type SearchKey = Readonly<{ key: KeyObject; id: string }>;

type SearchKeySources = Readonly<{
  /** The key in the settings; without one, each organization has a key of its own, wrapped like those of records. */
  configured: Uint8Array | undefined;
  wrapping: KeyWrapping;
  secrets: SecretStore;
  randomBytes: RandomBytes;
}>;

/**
 * Returns the key of an organization's search tokens. Errors: Unavailable; Damaged when the key in the settings is not
 * the one with which the stored tokens were made, because no record would be found by it.
 */
export function createSearchKeys({
  configured,
  wrapping,
  secrets,
  randomBytes,
}: SearchKeySources): (scope: KeyScope) => Promise<SearchKey> {
  const fixed = configured && searchKey(configured);
  let checked: Promise<SearchKey> | undefined;
  const made = new Map<string, Promise<SearchKey>>();

  const check = async (key: SearchKey): Promise<SearchKey> => {
    const id = Buffer.from(key.id);
    await secrets.compareAndSet(SEARCH_KEY_ID, undefined, id);
    const found = await secrets.get(SEARCH_KEY_ID);
    if (found !== undefined && Buffer.compare(found.value, id) === 0) return key;
    throw new Damaged('CRM_HASH_SECRET_KEY is not the key with which search tokens were made');
  };

  const ofOrganization = async (scope: KeyScope): Promise<SearchKey> => {
    const name = nameOf(scope);
    if ((await secrets.get(name)) === undefined) {
      const wrapped = await wrapping.wrap(scope, randomBytes(KEY_BYTES));
      await secrets.compareAndSet(name, undefined, Buffer.from(wrapped));
    }
    const found = await secrets.get(name);
    if (found === undefined) throw new Unavailable(`The secret ${name} is missing`);
    return searchKey(await wrapping.unwrap(scope, Buffer.from(found.value).toString()));
  };

  return async (scope) => {
    if (fixed !== undefined) {
      checked ??= check(fixed).catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
      return checked;
    }
    const name = nameOf(scope);
    const known = made.get(name);
    if (known !== undefined) return known;
    const making = ofOrganization(scope);
    made.set(name, making);
    making.catch(() => made.delete(name));
    return making;
  };
}

/** Computes the token of an exact value; equal values of a field meet within an organization. */
export function searchToken(
  { key }: SearchKey,
  { tenantId, organizationId }: KeyScope,
  { field, value }: FieldValue,
): SearchToken {
  const text = `tenant:${tenantId}:org:${organizationId}:field:${field}:${value}`;
  return createHmac('sha256', key).update(text).digest('base64url');
}

function searchKey(bytes: Uint8Array): SearchKey {
  return { key: createSecretKey(bytes), id: hash('sha256', bytes).slice(0, KEY_ID_LENGTH) };
}

/** An organization is of one tenant; the scope of users is that of every tenant, whose key has its name in addition. */
const nameOf = ({ tenantId, organizationId }: KeyScope): string =>
  organizationId === ACCESS_SCOPE && tenantId !== SINGLE_TENANT
    ? `${SEARCH_KEYS}${organizationId}/${tenantId}`
    : SEARCH_KEYS + organizationId;

/**
 * Returns the organization in the name of a search key, and the tenant if it is there too; undefined for the name of another
 * secret.
 */
export function scopeOfSearchKey(
  name: string,
): Readonly<{ organizationId: Uuid; tenantId: string | undefined }> | undefined {
  if (!name.startsWith(SEARCH_KEYS)) return undefined;
  const [organizationId, tenantId] = name.slice(SEARCH_KEYS.length).split('/');
  return { organizationId: organizationId as Uuid, tenantId };
}

/** Names of search keys begin with it. */
const SEARCH_KEYS = 'search-key/';

/** The name under which the id of the configured search key is stored. */
export const SEARCH_KEY_ID = 'search-key-id';
const KEY_ID_LENGTH = 16;
