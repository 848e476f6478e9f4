import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { shownUrl } from '#src/bootstrap/store-urls.ts';
import { failed } from './command.ts';

/** The contents of a data folder that cannot be rebuilt from its log. */
export type DataFolder = Readonly<{
  /** Undefined if the folder never held any. */
  secrets: SecretStore | undefined;
  /** The position in the folder's log up to which each topic was published. */
  published: ReadonlyMap<string, Checkpoint>;
  close(): Promise<void>;
}>;

/** Reads a data folder. Errors: Unavailable when one of its files cannot be read. */
export async function readDataFolder(dir: string): Promise<DataFolder> {
  const secrets = existsSync(join(dir, 'secrets.db')) ? openEmbeddedSecretStore(dir) : undefined;
  try {
    return {
      secrets: secrets && (await isUsed(secrets)) ? secrets : undefined,
      published: await publishedIn(dir),
      close: async () => secrets?.close(),
    };
  } catch (error) {
    await secrets?.close();
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
  checkpoints: CheckpointStore;
  close(): Promise<void>;
}>;

/** Opens the stores. Errors: CliError when the server cannot be reached. */
export async function openTargetStores(url: string): Promise<TargetStores> {
  const [{ connectMongo }, { openMongoSecretStore }, { openMongoCheckpointStore }] =
    await Promise.all([
      import('#src/adapters/mongodb/database.ts'),
      import('#src/adapters/mongodb/secret-store.ts'),
      import('#src/adapters/mongodb/checkpoint-store.ts'),
    ]);
  try {
    const mongo = await connectMongo(url);
    return {
      secrets: openMongoSecretStore(mongo),
      checkpoints: openMongoCheckpointStore(mongo),
      close: () => mongo.close(),
    };
  } catch (cause) {
    throw failed(shownUrl(url), cause);
  }
}
