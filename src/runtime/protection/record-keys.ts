import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import {
  formatRecordSecret,
  parseRecordSecret,
  recordInName,
  recordSecretName,
  type RecordSecret,
} from '#src/kernel/record-secret.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { KeyScope, KeyWrapping } from '#src/ports/key-wrapping.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { ProtectedRecord, DataKey, RecordKeys } from '#src/ports/record-keys.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Secret, SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import { KeyCache } from './key-cache.ts';
import { createDataKey, KEY_BYTES } from './data-key.ts';
import { createSearchKeys, scopeOfSearchKey, searchToken } from './search-keys.ts';

export type RecordKeySources = Readonly<{
  wrapping: KeyWrapping;
  /** The key of search tokens in the settings, if there is one. */
  hashKey: Uint8Array | undefined;
  secrets: SecretStore;
  /** Stores its tokens with those secrets. */
  index: TokenIndex;
  clock: Clock;
  scheduler: Pick<Scheduler, 'elapsedMs'>;
  randomBytes: RandomBytes;
}>;

export function createRecordKeys(sources: RecordKeySources): RecordKeys {
  const { wrapping, secrets, index, clock, randomBytes } = sources;
  const searchKeyOf = createSearchKeys({ ...sources, configured: sources.hashKey });
  const opened = new KeyCache<DataKey | undefined>({
    sizeMax: CACHED_MAX,
    lifeMs: CACHED_MS,
    elapsedMs: () => sources.scheduler.elapsedMs(),
  });

  const load = async (record: ProtectedRecord): Promise<DataKey | undefined> => {
    const found = await secrets.get(nameOf(record));
    if (found === undefined) return undefined;
    const { wrapped } = secretIn(nameOf(record), found.value);
    return createDataKey(record, await wrapping.unwrap(record, wrapped), randomBytes);
  };

  return {
    async provision(scope) {
      const { path, keyId } = await wrapping.provision(scope);
      const { id } = await searchKeyOf(scope);
      return { kekPath: path, aeadPrimaryKeyId: keyId, prfPrimaryKeyId: id };
    },

    async tokens(scope, values) {
      const key = await searchKeyOf(scope);
      return values.map((value) => searchToken(key, scope, value));
    },

    async create(record, entry) {
      await searchKeyOf(record);
      const dataKey = randomBytes(KEY_BYTES);
      const wrapped = await wrapping.wrap(record, dataKey);
      const since = formatInstant(clock.now());
      const secret = formatRecordSecret({ tenantId: record.tenantId, since, wrapped });
      const taken = await index.add(record, secret, entry);
      if (taken !== undefined) return { taken };
      const key = createDataKey(record, dataKey, randomBytes);
      opened.set(nameOf(record), Promise.resolve(key));
      return { key };
    },

    open: (record) => opened.get(nameOf(record), () => load(record)),

    async extend(record, tokens) {
      await index.extend(record, { tokens, claims: [] });
    },

    retain: (record, tokens) => index.retain(record, { tokens, claims: [] }),

    async destroy(record) {
      await index.erase(record);
      opened.delete(nameOf(record));
    },

    async rewrap(stop, onChecked) {
      let rewrapped = 0;
      let checked = 0;
      const unreadable: Damaged[] = [];
      const again = async (
        { name, secret }: NamedSecret,
        scope: KeyScope,
        before: string,
        format: (wrapped: string) => Uint8Array,
      ): Promise<void> => {
        try {
          const wrapped = await wrapping.rewrap(scope, before);
          if (wrapped === undefined) return;
          // A key that was destroyed or wrapped by another process meanwhile is left as it is.
          const version = await secrets.compareAndSet(name, secret.version, format(wrapped));
          if (version !== undefined) rewrapped += 1;
        } catch (error) {
          if (!(error instanceof Damaged)) throw error;
          unreadable.push(new Damaged(`${name}: ${error.message}`, { cause: error }));
        }
      };

      /** The secret of a search key does not name the tenant; those of the organization's records do. */
      const tenants = new Map<Uuid, string>();
      const searchKeys: NamedSecret[] = [];
      for await (const one of secrets.list()) {
        if (stop.aborted) return rewrapped;
        checked += 1;
        onChecked?.(checked);
        const { name, secret } = one;
        if (scopeOfSearchKey(name) !== undefined) searchKeys.push(one);
        const record = recordInName(name);
        if (record === undefined) continue;
        const stored = secretIn(name, secret.value);
        const { tenantId, wrapped: before } = stored;
        if (record.organizationId !== ACCESS_SCOPE) tenants.set(record.organizationId, tenantId);
        await again(one, { ...record, tenantId }, before, (wrapped) =>
          formatRecordSecret({ ...stored, wrapped }),
        );
      }
      for (const one of searchKeys) {
        if (stop.aborted) return rewrapped;
        const { organizationId, tenantId: named } = scopeOfSearchKey(one.name)!;
        const tenantId = named ?? tenants.get(organizationId) ?? SINGLE_TENANT;
        const before = Buffer.from(one.secret.value).toString();
        await again(one, { tenantId, organizationId }, before, (wrapped) => Buffer.from(wrapped));
      }
      if (unreadable[0] !== undefined) throw unreadable[0];
      return rewrapped;
    },

    async *list() {
      for await (const { name, secret } of secrets.list()) {
        const record = recordInName(name);
        if (record === undefined) continue;
        const { tenantId, since } = secretIn(name, secret.value);
        yield { ...record, tenantId, since };
      }
    },
  };
}

type NamedSecret = Readonly<{ name: string; secret: Secret }>;

/** Errors: Damaged. */
function secretIn(name: string, bytes: Uint8Array): RecordSecret {
  try {
    return parseRecordSecret(bytes);
  } catch (cause) {
    throw new Damaged(`The secret ${name} was altered`, { cause });
  }
}

const nameOf = ({ organizationId, recordId }: ProtectedRecord): string =>
  recordSecretName(organizationId, recordId);

const CACHED_MAX = 10_000;
const CACHED_MS = 5 * 60_000;
