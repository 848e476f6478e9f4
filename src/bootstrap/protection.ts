import { existsSync } from 'node:fs';
import { environmentKeyWrapping } from '#src/adapters/environment-key/key-wrapping.ts';
import { keyFile, readFolderKeys } from '#src/adapters/environment-key/key-file.ts';
import { systemRandomBytes, systemScheduler } from '#src/adapters/system.ts';
import type { Protection } from '#src/components/component.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { KeyWrapping } from '#src/ports/key-wrapping.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { createRecordKeys } from '#src/runtime/protection/record-keys.ts';
import { SEARCH_KEY_ID } from '#src/runtime/protection/search-keys.ts';
import { ENCRYPT_KEY, HASH_KEY, parseKey, type ProtectionSettings } from './protection-settings.ts';
import type { Secrets } from './secrets.ts';
import { openTokenIndex } from './stores.ts';
import type { StoreUrls } from './store-urls.ts';

type ProtectionOptions = Readonly<{
  settings: ProtectionSettings;
  places: StoreUrls;
  secrets: Secrets;
  clock: Clock;
  warn: (message: string) => void;
  /** By default, keys that a replaced environment key has wrapped are wrapped again as soon as the keys are open. */
  rewraps?: 'when open' | 'never';
}>;

export type ProtectionRole = Readonly<{
  /** Opens the stores and keys on first use. Errors: Unavailable; Damaged. The next call tries again. */
  open(): Promise<Protection>;
  close(): Promise<void>;
}>;

export function createProtection(options: ProtectionOptions): ProtectionRole {
  let opening: Promise<OpenProtection> | undefined;
  return {
    async open() {
      opening ??= openProtection(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

type OpenProtection = Protection & Readonly<{ close(): Promise<void> }>;

async function openProtection(options: ProtectionOptions): Promise<OpenProtection> {
  const { settings, places, clock } = options;
  const secrets = await options.secrets.open();
  const { wrapping, hashKey } =
    settings.wrapping.is === 'vault'
      ? { wrapping: await openVault(settings.wrapping), hashKey: settings.hashKey }
      : await environmentKeys(settings, settings.wrapping, secrets, options);
  const index = await openTokenIndex(places);
  const keys = createRecordKeys({
    ...{ wrapping, hashKey, secrets, index, clock },
    scheduler: systemScheduler,
    randomBytes: systemRandomBytes,
  });
  const stopping = new AbortController();
  const { wrapping: chosen } = settings;
  const isRotated =
    options.rewraps !== 'never' && chosen.is === 'environment' && chosen.previous.length > 0;
  const rewrapping = isRotated ? rewrapAll(keys, stopping.signal, options.warn) : undefined;
  return {
    keys,
    index,
    async close() {
      stopping.abort();
      await rewrapping;
      await Promise.all([index.close(), wrapping.close()]);
    },
  };
}

/** Wraps keys again that a replaced environment key has wrapped; a failure is retried at the next start. */
async function rewrapAll(
  keys: RecordKeys,
  stop: AbortSignal,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await keys.rewrap(stop);
  } catch (error) {
    warn(`Not all keys of personal data were wrapped with the new key: ${String(error)}`);
  }
}

type Wrapping<Kind> = Extract<ProtectionSettings['wrapping'], { is: Kind }>;

async function openVault({ url, login }: Wrapping<'vault'>): Promise<KeyWrapping> {
  const { vaultKeyWrapping } = await import('#src/adapters/vault/key-wrapping.ts');
  return vaultKeyWrapping({ url, login, scheduler: systemScheduler });
}

/** Takes the keys from the settings, and from the data folder those that are not set. */
async function environmentKeys(
  { hashKey }: ProtectionSettings,
  { current, previous }: Wrapping<'environment'>,
  secrets: SecretStore,
  { places: { dataDir }, warn }: ProtectionOptions,
): Promise<Readonly<{ wrapping: KeyWrapping; hashKey: Uint8Array }>> {
  const keys = { current, hashKey };
  if (current === undefined || hashKey === undefined) {
    if (!existsSync(keyFile(dataDir)) && (await secrets.get(SEARCH_KEY_ID)) !== undefined) {
      throw new Damaged(
        `${keyFile(dataDir)} is missing, and without it no personal data can be read: ` +
          `restore it, or set ${ENCRYPT_KEY} and ${HASH_KEY}`,
      );
    }
    const folder = readFolderKeys(dataDir, [ENCRYPT_KEY, HASH_KEY], {
      randomBytes: systemRandomBytes,
      onCreated: (file) => {
        warn(
          `Created the keys that protect personal data in ${file}. Keep a copy apart from the data, ` +
            `or set ${ENCRYPT_KEY} and ${HASH_KEY}: without them, personal data cannot be read`,
        );
      },
    });
    keys.current ??= parseKey(folder[ENCRYPT_KEY]);
    keys.hashKey ??= parseKey(folder[HASH_KEY]);
  }
  return {
    wrapping: environmentKeyWrapping({
      current: keys.current!,
      previous,
      randomBytes: systemRandomBytes,
    }),
    hashKey: keys.hashKey!,
  };
}
