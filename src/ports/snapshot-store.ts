import type { Revision } from '#src/kernel/ids.ts';

/** The state of a journal after `revision`, in the format of `version`, as chunks of text. */
export type Snapshot = Readonly<{ revision: Revision; version: number; chunks: readonly string[] }>;

/**
 * Stores snapshots, which shorten a start but are never required: readers verify them, and a missing, torn or unknown
 * one only means a longer replay. One snapshot per journal is kept; a save replaces it as a whole.
 */
export interface SnapshotStore {
  load(journal: string): Promise<Snapshot | undefined>;
  save(journal: string, snapshot: Snapshot): Promise<void>;
  close(): Promise<void>;
}
