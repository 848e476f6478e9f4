import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { isDoubted, type DerivedFlags } from '#src/adapters/embedded/derived-flags.ts';
import { openEmbeddedJournalIndexReader } from '#src/adapters/embedded/journal-index-reader.ts';
import { openEmbeddedJournalIndex } from '#src/adapters/embedded/journal-index.ts';
import { openLoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { openEmbeddedTokenIndex } from '#src/adapters/embedded/token-index.ts';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import type { DeliveryStore } from '#src/ports/delivery-store.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { BodiesFromLog } from '#src/ports/read-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';
import { isEmbedded, type StoreUrls } from './store-urls.ts';
import {
  rebuildOf,
  type SharedStores,
  type OnRebuild,
  type ProjectorStores,
  type ReadStores,
} from './store-sets.ts';

/*
 * The scheme of a URL picks the adapter, and nothing else in the program knows which. Clients of servers are loaded
 * when they are asked for: the embedded profile starts without them.
 */

/** Opens the log for the thread that decides; another thread commits its appends. Errors: Unavailable. */
export async function openEventStore(
  { eventStoreUrl, dataDir }: StoreUrls,
  { ids, onFatal }: Readonly<{ ids: Ids; onFatal: (error: Error) => void }>,
): Promise<EventStore> {
  if (isEmbedded(eventStoreUrl)) return openEmbeddedEventStore(dataDir, { ids, onFatal });
  const { openEventStoreDb } = await import('#src/adapters/eventstoredb/event-store.ts');
  return openEventStoreDb(eventStoreUrl, { ids });
}

export type ReadableLog = Omit<EventStore, 'append' | 'exclusive'>;

/** Opens the log for a thread that only follows it. Errors: Unavailable. */
export async function openLog(places: StoreUrls, ids: Ids): Promise<ReadableLog> {
  return (await openServerLog(places, ids)) ?? openEmbeddedLog(places.dataDir);
}

/** Opens the log for a thread that also writes occasionally; undefined for a folder, whose log one thread writes. */
export async function openServerLog(
  { eventStoreUrl }: StoreUrls,
  ids: Ids,
): Promise<EventStore | undefined> {
  if (isEmbedded(eventStoreUrl)) return undefined;
  const { openEventStoreDbHere } = await import('#src/adapters/eventstoredb/event-store-here.ts');
  return openEventStoreDbHere(eventStoreUrl, { ids });
}

/** Opens the stores that requests read; `flags` are those of the process's threads for its data folder. */
export async function openReadSide(
  { readStoreUrl, dataDir }: StoreUrls,
  logId: Uuid,
  flags: DerivedFlags,
): Promise<ReadStores> {
  if (isEmbedded(readStoreUrl)) {
    const reads = openEmbeddedReadStore(dataDir, READ_WORKER, { flags });
    const index = openEmbeddedJournalIndexReader(dataDir, logId, flags);
    const snapshots = openEmbeddedSnapshotStore(dataDir);
    const close = async (): Promise<void> => {
      await Promise.all([reads.close(), index.close(), snapshots.close()]);
    };
    return { reads, index, snapshots, board: undefined, close };
  }
  return (await import('./mongodb-stores.ts')).mongoReadStores(readStoreUrl, logId);
}

type ProjectionOptions = Readonly<{
  /** The fencing token of the lease under which it is written. */
  fence: number;
  flags: DerivedFlags;
  /** The bodies that a store beside its log need not keep. */
  bodies: BodiesFromLog;
  onRebuild: OnRebuild;
}>;

export async function openProjectionSide(
  { eventStoreUrl, readStoreUrl, dataDir }: StoreUrls,
  logId: Uuid,
  { fence, flags, bodies, onRebuild }: ProjectionOptions,
): Promise<ProjectorStores> {
  if (isEmbedded(readStoreUrl)) {
    const writer = openEmbeddedReadStoreWriter(dataDir, {
      flags,
      ...(isEmbedded(eventStoreUrl) && { bodies: openLoggedBodies(dataDir, bodies) }),
      told: rebuildOf('The read models', onRebuild),
    });
    const index = openEmbeddedJournalIndex(dataDir, logId, {
      flags,
      told: rebuildOf('The entries of the journal index', onRebuild),
    });
    return {
      writer,
      index,
      async flaw() {
        const isWrong = isDoubted(flags, 'read');
        return isWrong ? 'The read models are damaged' : index.flaw();
      },
      async close() {
        await Promise.all([writer.close(), index.close()]);
      },
    };
  }
  return (await import('./mongodb-stores.ts')).mongoProjectorStores(readStoreUrl, logId, {
    fence,
    onRebuild,
  });
}

/** Opens the shared stores; undefined for a data folder, which belongs to one process. */
export async function openCommons({ readStoreUrl }: StoreUrls): Promise<SharedStores | undefined> {
  if (isEmbedded(readStoreUrl)) return undefined;
  return (await import('./mongodb-stores.ts')).mongoSharedStores(readStoreUrl);
}

/** Opens the snapshots for a thread that takes them. */
export async function openSnapshotStore({
  readStoreUrl,
  dataDir,
}: StoreUrls): Promise<SnapshotStore> {
  if (isEmbedded(readStoreUrl)) return openEmbeddedSnapshotStore(dataDir);
  return (await import('./mongodb-stores.ts')).mongoSnapshotStore(readStoreUrl);
}

/** Opens the secrets, which are with the read models. Errors: Unavailable. */
export async function openSecretStore({ readStoreUrl, dataDir }: StoreUrls): Promise<SecretStore> {
  if (isEmbedded(readStoreUrl)) return openEmbeddedSecretStore(dataDir);
  return (await import('./mongodb-stores.ts')).mongoSecretStore(readStoreUrl);
}

/** Opens the search tokens, which are with the secrets. Errors: Unavailable. */
export async function openTokenIndex({ readStoreUrl, dataDir }: StoreUrls): Promise<TokenIndex> {
  if (isEmbedded(readStoreUrl)) return openEmbeddedTokenIndex(dataDir);
  return (await import('./mongodb-stores.ts')).mongoTokenIndex(readStoreUrl);
}

/** Opens the state of deliveries; undefined for a data folder, which one thread opens. Errors: Unavailable. */
export async function openDeliveryStore({
  readStoreUrl,
}: StoreUrls): Promise<DeliveryStore | undefined> {
  if (isEmbedded(readStoreUrl)) return undefined;
  return (await import('./mongodb-stores.ts')).mongoDeliveryStore(readStoreUrl);
}

/** The entry file of the thread that answers reads. */
export const READ_WORKER = workerFile('read-worker', import.meta.url);
