import type { Revision } from '#src/kernel/ids.ts';
import type { Anchor } from './anchor.ts';
import type { Position } from './event-store.ts';

/**
 * The kind of a key. `idempotency` leads to the event that a request with that key caused, `value` to the last claim on
 * a value, `open` to the beginning of a process that is not finished. The other kinds are names that components give to
 * their events.
 */
export type IndexKind = string;

/** One entry; a later entry of the same journal, kind and key replaces it; `revision: null` removes it. */
export type IndexEntry = Readonly<{
  journal: string;
  kind: IndexKind;
  key: string;
  revision: Revision | null;
}>;

/**
 * Maps a key to the revision of the event that holds the fact, inside one journal. It is derived from the log, may lag
 * behind it, and holds only revisions. It is rebuilt if it was built from another log or format.
 */
export interface JournalIndex {
  /**
   * Returns the revisions of the keys that are known. Errors: Unavailable, also when the index does not hold the
   * journal up to the revision `through`: during a rebuild it cannot say that a key was never used.
   */
  find(
    journal: string,
    kind: IndexKind,
    keys: readonly string[],
    through?: Revision,
  ): Promise<ReadonlyMap<string, Revision>>;

  /** Lists the journals that hold entries of a kind, with their keys, so that work can be resumed at start. */
  list(kind: IndexKind): Promise<readonly Readonly<{ journal: string; key: string }>[]>;

  /** Returns the last revision of a journal whose entries are in the index; NONE if there is none. */
  indexed(journal: string): Promise<Revision>;

  /** Returns the position up to which the log is in the index. */
  checkpoint(): Promise<Position>;

  /** Returns the last event of the log that is in the index. */
  anchor(): Promise<Anchor>;

  /**
   * Reports that the index holds something that the log does not confirm. Look-ups then fail until the index's owner
   * has rebuilt it.
   */
  doubt(reason: string): Promise<void>;

  /** Returns why the index cannot be used, so that its owner can call `forget` and rebuild it. */
  flaw(): Promise<string | undefined>;

  /** Empties the index, so that it is rebuilt from the start of the log. */
  forget(): Promise<void>;

  /** Writes entries, the revisions reached per journal and the checkpoint atomically. */
  apply(batch: IndexBatch): Promise<void>;

  close(): Promise<void>;
}

export type IndexBatch = Readonly<{
  entries: readonly IndexEntry[];
  reached: ReadonlyMap<string, Revision>;
  checkpoint: Position;
  /**
   * The hash of the event at the checkpoint (see Anchor); without it, the index cannot be confirmed at the next start.
   */
  hash?: string;
}>;
