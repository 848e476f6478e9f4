import { systemClock } from '#src/adapters/system.ts';
import { parseKey, ENCRYPT_KEY, HASH_KEY } from '#src/bootstrap/protection-settings.ts';
import { createProtection } from '#src/bootstrap/protection.ts';
import { createSecrets, type Secrets } from '#src/bootstrap/secrets.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import { storesOf } from './stores.ts';

/** Works with the secrets of a server that has stopped. */
export async function withSecretsOf(
  dataDir: string,
  work: (secrets: Secrets) => Promise<void>,
): Promise<void> {
  const secrets = createSecrets(await placesOf(dataDir));
  try {
    await work(secrets);
  } finally {
    await secrets.close();
  }
}

/** Works with the keys of a server that has stopped, as the server does. */
export async function withRecordKeys(
  dataDir: string,
  work: (keys: RecordKeys) => Promise<void>,
): Promise<void> {
  const env: Readonly<Record<string, string>> = await storesOf(dataDir).settings();
  const key = (name: string) => parseKey(env[name] ?? '');
  const wrapping = { is: 'environment', current: key(ENCRYPT_KEY), previous: [] } as const;
  await withSecretsOf(dataDir, async (secrets) => {
    const protection = createProtection({
      settings: { wrapping, hashKey: key(HASH_KEY) },
      ...{ places: await placesOf(dataDir), secrets, clock: systemClock, warn: () => undefined },
    });
    try {
      await work((await protection.open()).keys);
    } finally {
      await protection.close();
    }
  });
}

async function placesOf(dataDir: string) {
  const { READ_STORE_URL: readStoreUrl = 'embedded:' }: Readonly<Record<string, string>> =
    await storesOf(dataDir).settings();
  return { eventStoreUrl: 'embedded:', readStoreUrl, dataDir };
}
