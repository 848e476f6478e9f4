import { Fenced, type Checkpoint, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What is stored; it outlives the clients opened over it. */
export type MemoryCheckpoints = Map<string, Checkpoint & Readonly<{ fence: number }>>;

/** Checkpoints in memory. `fails` decides, operation by operation, whether the store is away. */
export class MemoryCheckpointStore implements CheckpointStore {
  readonly #saved: MemoryCheckpoints;
  readonly #scheduler: Scheduler;
  readonly #fails: (operation: 'load' | 'save') => boolean;

  constructor(
    scheduler: Scheduler,
    saved: MemoryCheckpoints = new Map(),
    fails: (operation: 'load' | 'save') => boolean = () => false,
  ) {
    this.#scheduler = scheduler;
    this.#saved = saved;
    this.#fails = fails;
  }

  async load(): Promise<ReadonlyMap<string, Checkpoint>> {
    await this.#turn('load');
    const lanes = [...this.#saved].map(
      ([lane, { position, done }]) => [lane, { position, done }] as const,
    );
    return new Map(lanes);
  }

  async save(lane: string, { position, done }: Checkpoint, fence: number): Promise<void> {
    await this.#turn('save');
    const highest = Math.max(0, ...[...this.#saved.values()].map((saved) => saved.fence));
    if (highest > fence) throw new Fenced(`Checkpoint of ${lane}`, fence);
    const before = this.#saved.get(lane);
    const forward =
      before === undefined ||
      position > before.position ||
      (position === before.position && done >= before.done);
    this.#saved.set(lane, { ...(forward ? { position, done } : before), fence });
  }

  async setBack(lane: string, checkpoint: Checkpoint, fence: number): Promise<void> {
    await this.#turn('save');
    const before = this.#saved.get(lane);
    if (before === undefined) return;
    if (before.fence > fence) throw new Fenced(`Checkpoint of ${lane}`, fence);
    this.#saved.set(lane, { ...checkpoint, fence });
  }

  async remove(lane: string, fence: number): Promise<void> {
    await this.#turn('save');
    const before = this.#saved.get(lane);
    if (before !== undefined && before.fence > fence) {
      throw new Fenced(`Checkpoint of ${lane}`, fence);
    }
    this.#saved.delete(lane);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #turn(operation: 'load' | 'save'): Promise<void> {
    await this.#scheduler.yield();
    if (this.#fails(operation)) throw new Unavailable(`Checkpoints cannot be ${operation}ed`);
  }
}
