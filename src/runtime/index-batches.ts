import type { Revision } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexEntry, JournalIndex } from '#src/ports/journal-index.ts';

/**
 * Gathers entries of the journal index and writes them in large batches. Keys are random, so a write of a few hundred
 * touches as many pages of the index as one of thousands; and no caller waits for it, because the writers remember what
 * is not indexed yet. After a crash, entries that were not written are read from the log again.
 */
export class IndexBatches {
  readonly #index: JournalIndex;
  readonly #elapsedMs: () => number;
  #entries: IndexEntry[] = [];
  #reached = new Map<string, Revision>();
  #gathered: Position = START;
  #hash = '';
  #sinceMs = 0;
  #written: Position = START;
  #fresh = new Map<string, Revision>();

  constructor(index: JournalIndex, elapsedMs: () => number) {
    this.#index = index;
    this.#elapsedMs = elapsedMs;
  }

  async checkpoint(): Promise<Position> {
    this.#written = this.#gathered = await this.#index.checkpoint();
    return this.#written;
  }

  /** Takes a batch; repeated offers have no effect. Errors: those of the index, when it is time to write. */
  async apply({ entries, reached, checkpoint, hash = '' }: IndexBatch): Promise<void> {
    if (checkpoint > this.#gathered) {
      if (!this.waiting) this.#sinceMs = this.#elapsedMs();
      for (const entry of entries) this.#entries.push(entry);
      for (const [journal, revision] of reached) this.#reached.set(journal, revision);
      this.#gathered = checkpoint;
      this.#hash = hash;
    }
    const aged = this.#elapsedMs() - this.#sinceMs >= WAIT_MS;
    if (aged || this.#entries.length >= ENTRIES_MAX) await this.write();
  }

  /** Some gathered entries are not written yet. */
  get waiting(): boolean {
    return this.#gathered > this.#written;
  }

  async write(): Promise<void> {
    if (!this.waiting) return;
    const entries = inPlaces(this.#entries);
    const [checkpoint, hash] = [this.#gathered, this.#hash];
    await this.#index.apply({ entries, reached: this.#reached, checkpoint, hash });
    this.#written = this.#gathered;
    for (const [journal, revision] of this.#reached) this.#fresh.set(journal, revision);
    this.#entries = [];
    this.#reached = new Map();
  }

  /** The position up to which everything is in the index. */
  get written(): Position {
    return this.#written;
  }

  /** Returns the journals written since the last call, and the revision up to which each was written. */
  takeWritten(): ReadonlyMap<string, Revision> {
    const written = this.#fresh;
    this.#fresh = new Map();
    return written;
  }
}

/** Orders entries by their place in the index, and those of one key by the order of the log. */
function inPlaces(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  const kinds = new Map<string, Map<string, IndexEntry[]>>();
  for (const entry of entries) {
    let journals = kinds.get(entry.kind);
    if (journals === undefined) kinds.set(entry.kind, (journals = new Map<string, IndexEntry[]>()));
    const together = journals.get(entry.journal);
    if (together === undefined) journals.set(entry.journal, [entry]);
    else together.push(entry);
  }
  return sorted(kinds).flatMap((journals) => sorted(journals).flatMap((some) => some.sort(byKey)));
}

const sorted = <Value>(values: ReadonlyMap<string, Value>): Value[] =>
  [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

const byKey = (a: IndexEntry, b: IndexEntry): number =>
  a.key < b.key ? -1 : a.key === b.key ? 0 : 1;

/** At 20,000 transactions a second, each with a key, this is a write every 0.2 s that takes about 60 ms. */
const ENTRIES_MAX = 8192;
const WAIT_MS = 500;
