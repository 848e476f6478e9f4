import { Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import { NO_FAULTS, type Faults } from './faults.ts';

/** What is stored under each journal: a whole snapshot, or what is left of a torn one. */
export type MemorySnapshotData = Map<string, Snapshot | 'torn'>;

export type MemorySnapshotStoreOptions = Readonly<{
  scheduler: Scheduler;
  faults?: Faults;
  /** It may outlive the clients opened over it. */
  data?: MemorySnapshotData;
}>;

export class MemorySnapshotStore implements SnapshotStore {
  readonly #scheduler: Scheduler;
  readonly #faults: Faults;
  readonly #data: MemorySnapshotData;

  constructor({ scheduler, faults, data }: MemorySnapshotStoreOptions) {
    this.#scheduler = scheduler;
    this.#faults = faults ?? NO_FAULTS;
    this.#data = data ?? new Map<string, Snapshot | 'torn'>();
  }

  async load(journal: string): Promise<Snapshot | undefined> {
    await this.#scheduler.yield();
    if (this.#faults.loadFails?.(journal) ?? false) throw unreachableStore();
    const found = this.#data.get(journal);
    return found === 'torn' ? undefined : found;
  }

  async save(journal: string, { revision, version, chunks }: Snapshot): Promise<void> {
    await this.#scheduler.yield();
    const fate = this.#faults.save?.(journal) ?? 'ok';
    if (fate === 'refused') throw unreachableStore();
    // A copy: what the caller does with its chunks later must not reach what is stored.
    const stored = { revision, version, chunks: [...chunks] };
    this.#data.set(journal, fate === 'torn' ? 'torn' : stored);
  }

  async close(): Promise<void> {
    // Holds nothing.
  }
}

const unreachableStore = (): Unavailable => new Unavailable('The snapshots cannot be reached');
