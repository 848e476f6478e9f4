import type { CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Leases } from '#src/ports/leases.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { ReadStore, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { SnapshotStore } from '#src/ports/snapshot-store.ts';

/** The stores from which a process serves requests. */
export type ReadStores = Readonly<{
  reads: ReadStore;
  index: JournalIndex;
  snapshots: SnapshotStore;
  /** The messages between processes; undefined for a single process. */
  board: ClusterMessages | undefined;
  close(): Promise<void>;
}>;

/** The stores that the projector writes, under the fence of its lease. */
export type ProjectorStores = Readonly<{
  writer: ReadStoreWriter;
  index: JournalIndex;
  /** Returns why derived data of this process must be opened again and rebuilt from the log. */
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

/** The stores that processes share. */
export type SharedStores = Readonly<{
  leases: Leases;
  board: ClusterMessages;
  checkpoints: CheckpointStore;
  close(): Promise<void>;
}>;
