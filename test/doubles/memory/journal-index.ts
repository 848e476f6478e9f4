import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { Anchor } from '#src/ports/anchor.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { NO_FAULTS, type Faults } from './faults.ts';

/** What an index holds; it may outlive the clients opened over it. */
export class MemoryIndexData {
  readonly journals = new Map<string, Map<IndexKind, Map<string, Revision>>>();
  readonly reached = new Map<string, Revision>();
  checkpoint: Position = START;
  hash = '';
  /** Why it finds nothing until it is built again. */
  doubt: string | undefined;

  clear(): void {
    this.journals.clear();
    this.reached.clear();
    this.checkpoint = START;
    this.hash = '';
    this.doubt = undefined;
  }
}

export type MemoryJournalIndexOptions = Readonly<{
  scheduler: Scheduler;
  faults?: Faults;
  data?: MemoryIndexData;
}>;

export class MemoryJournalIndex implements JournalIndex {
  readonly #scheduler: Scheduler;
  readonly #faults: Faults;
  readonly #data: MemoryIndexData;

  constructor({ scheduler, faults, data }: MemoryJournalIndexOptions) {
    this.#scheduler = scheduler;
    this.#faults = faults ?? NO_FAULTS;
    this.#data = data ?? new MemoryIndexData();
  }

  async find(
    journal: string,
    kind: IndexKind,
    keys: readonly string[],
    through: Revision = NONE,
  ): Promise<ReadonlyMap<string, Revision>> {
    await this.#turn('read');
    const { doubt, reached } = this.#data;
    if (doubt !== undefined || (reached.get(journal) ?? NONE) < through) {
      throw new Unavailable('The journal index is being built');
    }
    const known = this.#data.journals.get(journal)?.get(kind);
    const found = new Map<string, Revision>();
    for (const key of keys) {
      const revision = known?.get(key);
      if (revision !== undefined) found.set(key, revision);
    }
    return found;
  }

  async list(kind: IndexKind): Promise<readonly Readonly<{ journal: string; key: string }>[]> {
    await this.#turn('read');
    return [...this.#data.journals].flatMap(([journal, kinds]) =>
      [...(kinds.get(kind)?.keys() ?? [])].map((key) => ({ journal, key })),
    );
  }

  async indexed(journal: string): Promise<Revision> {
    await this.#turn('read');
    return this.#data.reached.get(journal) ?? NONE;
  }

  async checkpoint(): Promise<Position> {
    await this.#turn('read');
    return this.#data.checkpoint;
  }

  async anchor(): Promise<Anchor> {
    await this.#turn('read');
    return { position: this.#data.checkpoint, hash: this.#data.hash };
  }

  async doubt(reason: string): Promise<void> {
    this.#data.doubt = reason;
  }

  async flaw(): Promise<string | undefined> {
    return this.#data.doubt;
  }

  async forget(): Promise<void> {
    this.#data.clear();
  }

  async apply({ entries, reached, checkpoint, hash = '' }: IndexBatch): Promise<void> {
    await this.#turn('apply');
    if (checkpoint <= this.#data.checkpoint) return; // It is in already.
    for (const { journal, kind, key, revision } of entries) {
      const known = this.#entries(journal, kind);
      if (revision === null) known.delete(key);
      else known.set(key, revision);
    }
    for (const [journal, revision] of reached) this.#data.reached.set(journal, revision);
    this.#data.checkpoint = checkpoint;
    this.#data.hash = hash;
  }

  async close(): Promise<void> {
    // Holds nothing.
  }

  #entries(journal: string, kind: IndexKind): Map<string, Revision> {
    const kinds = this.#data.journals.get(journal) ?? new Map<IndexKind, Map<string, Revision>>();
    this.#data.journals.set(journal, kinds);
    const entries = kinds.get(kind) ?? new Map<string, Revision>();
    kinds.set(kind, entries);
    return entries;
  }

  async #turn(operation: 'read' | 'apply'): Promise<void> {
    await this.#scheduler.yield();
    if (this.#faults.indexFails?.(operation) ?? false) {
      throw new Unavailable('The journal index cannot be reached');
    }
  }
}
