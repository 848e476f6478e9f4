import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { openEmbeddedTokenIndex } from '#src/adapters/embedded/token-index.ts';
import { keyFile } from '#src/adapters/environment-key/key-file.ts';
import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import { shownUrl } from '#src/bootstrap/store-urls.ts';
import { failed } from './command.ts';

/** The contents of a data folder that cannot be rebuilt from its log. */
export type DataFolder = Readonly<{
  /** Undefined if the folder never held any. */
  secrets: SecretStore | undefined;
  /** The search tokens of records; undefined like the secrets. */
  tokens: TokenIndex | undefined;
  /** True if the folder has the keys of its personal data in a file. */
  hasKeyFile: boolean;
  /** The position in the folder's log up to which each topic was published. */
  published: ReadonlyMap<string, Checkpoint>;
  close(): Promise<void>;
}>;

/** Reads a data folder. Errors: Unavailable when one of its files cannot be read. */
export async function readDataFolder(dir: string): Promise<DataFolder> {
  const hasSecrets = existsSync(join(dir, 'secrets.db'));
  const secrets = hasSecrets ? openEmbeddedSecretStore(dir) : undefined;
  const tokens = hasSecrets ? openEmbeddedTokenIndex(dir) : undefined;
  const close = async (): Promise<void> => {
    await Promise.all([secrets?.close(), tokens?.close()]);
  };
  try {
    return {
      secrets: secrets && (await isUsed(secrets)) ? secrets : undefined,
      tokens,
      hasKeyFile: existsSync(keyFile(dir)),
      published: await publishedIn(dir),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function isUsed(secrets: SecretStore): Promise<boolean> {
  for await (const _ of secrets.list()) return true;
  for await (const _ of secrets.listDestroyed()) return true;
  return false;
}

async function publishedIn(dir: string): Promise<ReadonlyMap<string, Checkpoint>> {
  if (!existsSync(join(dir, 'relay.db'))) return new Map();
  const store = openEmbeddedCheckpointStore(dir);
  try {
    return await store.load();
  } finally {
    await store.close();
  }
}

/** The stores in the MongoDB of the new deployment that receive them. */
export type TargetStores = Readonly<{
  secrets: SecretStore;
  tokens: TokenIndex;
  checkpoints: CheckpointStore;
  close(): Promise<void>;
}>;

/** Opens the stores. Errors: CliError when the server cannot be reached. */
export async function openTargetStores(url: string): Promise<TargetStores> {
  const [
    { connectMongo },
    { openMongoSecretStore },
    { openMongoTokenIndex },
    { openMongoCheckpointStore },
  ] = await Promise.all([
    import('#src/adapters/mongodb/database.ts'),
    import('#src/adapters/mongodb/secret-store.ts'),
    import('#src/adapters/mongodb/token-index.ts'),
    import('#src/adapters/mongodb/checkpoint-store.ts'),
  ]);
  try {
    const mongo = await connectMongo(url);
    return {
      secrets: openMongoSecretStore(mongo),
      tokens: await openMongoTokenIndex(mongo),
      checkpoints: openMongoCheckpointStore(mongo),
      close: () => mongo.close(),
    };
  } catch (cause) {
    throw failed(shownUrl(url), cause);
  }
}
