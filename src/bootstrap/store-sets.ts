import type { CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Leases } from '#src/ports/leases.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { ReadStore, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';

/** A process serves requests from these. */
export type ReadStores = Readonly<{
  reads: ReadStore;
  index: JournalIndex;
  snapshots: SnapshotStore;
  /** Processes leave each other messages there; undefined where there is only one process. */
  board: ClusterMessages | undefined;
  close(): Promise<void>;
}>;

/** The projector writes these, under the fence of its lease. */
export type ProjectorStores = Readonly<{
  writer: ReadStoreWriter;
  index: JournalIndex;
  /** Why something that this process derives has to be opened again, to be built from the log. */
  flaw(): Promise<string | undefined>;
  close(): Promise<void>;
}>;

/** Receives a message whenever derived data is rebuilt from the log. */
export type OnRebuild = (message: string) => void;

/** Builds that message for one kind of derived data; the adapter supplies the reason. */
export const rebuildOf =
  (what: 'The read models' | 'The entries of the journal index', onRebuild: OnRebuild) =>
  (reason: string): void => {
    onRebuild(`${what} are built again from the log: ${reason}.`);
  };

/** Processes over one store share these. */
export type SharedStores = Readonly<{
  leases: Leases;
  board: ClusterMessages;
  checkpoints: CheckpointStore;
  close(): Promise<void>;
}>;
