import type { Revision } from '#src/kernel/ids.ts';
import type { Anchor } from './anchor.ts';
import type { Position } from './event-store.ts';

/**
 * What a key names. `idempotency`: the event that a request with that key caused. `value`: the last claim on a value.
 * `open`: where a process that is not finished began. The other kinds are names that components give to their events.
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
 * From a key to the revision of the event that holds the fact, inside one journal. Derived from the log, may
 * lag behind it, holds no fact but revisions. Rebuilt when it was built from another log or format.
 */
export interface JournalIndex {
  /**
   * Revisions of those keys that are known. Errors: Unavailable, also when the index does not hold the journal up to
   * the revision `through`: while it is rebuilt it cannot say that a key was never used.
   */
  find(
    journal: string,
    kind: IndexKind,
    keys: readonly string[],
    through?: Revision,
  ): Promise<ReadonlyMap<string, Revision>>;

  /** Journals that hold at least one entry of a kind, with its keys; for work to resume at start. */
  list(kind: IndexKind): Promise<readonly Readonly<{ journal: string; key: string }>[]>;

  /** The last revision of a journal whose entries are in the index; NONE when there is none. */
  indexed(journal: string): Promise<Revision>;

  /** The position up to which the log is in the index. */
  checkpoint(): Promise<Position>;

  /** The last event of the log that is in the index. */
  anchor(): Promise<Anchor>;

  /**
   * Says that the index holds something that the log does not confirm. It finds nothing any more until whoever owns it
   * has built it again.
   */
  doubt(reason: string): Promise<void>;

  /** Why the index cannot be used as it is; for its owner, who then forgets it. */
  flaw(): Promise<string | undefined>;

  /** Empties the index, so that it is built from the start of the log. */
  forget(): Promise<void>;

  /** Writes entries, the revisions reached per journal and the checkpoint, all or nothing. */
  apply(batch: IndexBatch): Promise<void>;

  close(): Promise<void>;
}

export type IndexBatch = Readonly<{
  entries: readonly IndexEntry[];
  reached: ReadonlyMap<string, Revision>;
  checkpoint: Position;
  /** Of the event at the checkpoint (see Anchor); without it nothing confirms the index at the next start. */
  hash?: string;
}>;
