import type { Revision } from '#src/kernel/ids.ts';

/** A journal's resident state after `revision`, in the format of `version`, as chunks of text. */
export type Snapshot = Readonly<{ revision: Revision; version: number; chunks: readonly string[] }>;

/**
 * Snapshots shorten a start and are never needed: whoever reads one checks it, and a missing, torn or
 * unknown one means a longer replay. One snapshot per journal is kept; a save replaces it as a whole.
 */
export interface SnapshotStore {
  load(journal: string): Promise<Snapshot | undefined>;
  save(journal: string, snapshot: Snapshot): Promise<void>;
  close(): Promise<void>;
}
