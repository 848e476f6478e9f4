import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { openSecretStore } from './stores.ts';
import { isEmbedded, type StoreUrls } from './store-urls.ts';

/** The secrets of this process, which are opened on first use: most deployments have none. */
export type Secrets = Readonly<{
  /** Errors: Unavailable; the next call tries again. */
  open(): Promise<SecretStore>;
  /** Opens them unless there are none. Errors: as `open`. */
  openExisting(): Promise<SecretStore | undefined>;
  close(): Promise<void>;
}>;

export function createSecrets(places: StoreUrls): Secrets {
  let opening: Promise<SecretStore> | undefined;

  const open = (): Promise<SecretStore> => {
    opening ??= openSecretStore(places).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  return {
    open,
    async openExisting() {
      const { readStoreUrl, dataDir } = places;
      return isEmbedded(readStoreUrl) && !existsSync(join(dataDir, 'secrets.db'))
        ? undefined
        : open();
    },
    async close() {
      const store = await opening?.catch(() => undefined);
      await store?.close();
    },
  };
}
