import { renderers } from './renderers.ts';
import { openMongoCheckpointStore } from '#src/adapters/mongodb/checkpoint-store.ts';
import {
  openMongoJournalIndex,
  openMongoJournalIndexReader,
} from '#src/adapters/mongodb/journal-index.ts';
import { openMongoDeliveryStore } from '#src/adapters/mongodb/delivery-store.ts';
import { openMongoLeases } from '#src/adapters/mongodb/leases.ts';
import { openMongoClusterMessages } from '#src/adapters/mongodb/cluster-messages.ts';
import { connectMongo, type MongoDatabase } from '#src/adapters/mongodb/database.ts';
import { openMongoReadStore } from '#src/adapters/mongodb/read-store.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import { openMongoSecretStore } from '#src/adapters/mongodb/secret-store.ts';
import { openMongoTokenIndex } from '#src/adapters/mongodb/token-index.ts';
import { openMongoSnapshotStore } from '#src/adapters/mongodb/snapshot-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { DeliveryStore } from '#src/ports/delivery-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';
import {
  rebuildOf,
  type SharedStores,
  type OnRebuild,
  type ProjectorStores,
  type ReadStores,
} from './store-sets.ts';

/** Opens the stores of stores.ts on a MongoDB server, each with its own connections. Errors: Unavailable. */
export async function mongoReadStores(url: string, logId: Uuid): Promise<ReadStores> {
  return opened(url, async (place) => ({
    reads: openMongoReadStore(place, { logId, renderers }),
    index: openMongoJournalIndexReader(place, logId),
    snapshots: openMongoSnapshotStore(place),
    board: openMongoClusterMessages(place),
    close: () => place.close(),
  }));
}

export async function mongoProjectorStores(
  url: string,
  logId: Uuid,
  { fence, onRebuild }: Readonly<{ fence: number; onRebuild: OnRebuild }>,
): Promise<ProjectorStores> {
  return opened(url, async (place) => {
    const indexTold = rebuildOf('The entries of the journal index', onRebuild);
    const index = await openMongoJournalIndex(place, logId, indexTold);
    return {
      writer: openMongoReadStoreWriter(place, {
        fence,
        told: rebuildOf('The read models', onRebuild),
      }),
      index,
      flaw: () => index.flaw(),
      close: () => place.close(),
    };
  });
}

export async function mongoSharedStores(url: string): Promise<SharedStores> {
  return opened(url, async (place) => ({
    leases: openMongoLeases(place, systemScheduler),
    board: openMongoClusterMessages(place),
    checkpoints: openMongoCheckpointStore(place),
    close: () => place.close(),
  }));
}

export async function mongoSnapshotStore(url: string): Promise<SnapshotStore> {
  return opened(url, async (place) => {
    const snapshots = openMongoSnapshotStore(place);
    return {
      load: (journal) => snapshots.load(journal),
      save: (journal, snapshot) => snapshots.save(journal, snapshot),
      close: () => place.close(),
    };
  });
}

export async function mongoSecretStore(url: string): Promise<SecretStore> {
  return opened(url, async (place) => ({
    ...openMongoSecretStore(place),
    close: () => place.close(),
  }));
}

export async function mongoTokenIndex(url: string): Promise<TokenIndex> {
  return opened(url, async (place) => ({
    ...(await openMongoTokenIndex(place)),
    close: () => place.close(),
  }));
}

export async function mongoDeliveryStore(url: string): Promise<DeliveryStore> {
  return opened(url, async (place) => ({
    ...(await openMongoDeliveryStore(place)),
    close: () => place.close(),
  }));
}

async function opened<Side>(
  url: string,
  open: (place: MongoDatabase) => Promise<Side>,
): Promise<Side> {
  const place = await connectMongo(url);
  try {
    return await open(place);
  } catch (error) {
    await place.close();
    throw error;
  }
}
