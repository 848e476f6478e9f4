import { workerData } from 'node:worker_threads';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Decider, DomainEvent } from '#src/domain/decider.ts';
import { categoryOf } from '#src/domain/journal-name.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import { deciders } from './deciders.ts';

export type SnapshotWorkerData = Readonly<{ dir: string; journal: string }>;

const { dir, journal } = workerData as SnapshotWorkerData;
const rules = deciders.find(({ category }) => category === categoryOf(journal));
if (rules === undefined) throw new Error(`No rules for the journal ${journal}`);

const store = openEmbeddedLog(dir);
const snapshots = openEmbeddedSnapshotStore(dir);
await takeSnapshot(rules as unknown as Decider<unknown, never, DomainEvent>, journal, {
  store,
  snapshots,
  scheduler: systemScheduler,
});
await store.close();
await snapshots.close();
