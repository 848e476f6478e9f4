import { workerData } from 'node:worker_threads';
import { lowerPriority } from '#src/adapters/threads/lower-priority.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { categoryOf } from '#src/kernel/journal-name.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import { deciders } from './deciders.ts';
import type { StoreUrls } from './store-urls.ts';
import { openLog, openSnapshotStore } from './stores.ts';

export type SnapshotWorkerData = Readonly<{ places: StoreUrls; journal: string }>;

// It reads and folds a hundred thousand events at once, and nobody waits for it.
lowerPriority();

const { places, journal } = workerData as SnapshotWorkerData;
const rules = deciders.find(({ category }) => category === categoryOf(journal));
if (rules === undefined) throw new Error(`No rules for the journal ${journal}`);

const store = await openLog(places, systemIds());
const snapshots = await openSnapshotStore(places);
await takeSnapshot(rules, journal, {
  store,
  snapshots,
  scheduler: systemScheduler,
});
await store.close();
await snapshots.close();
