import { Fenced, type Checkpoint, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What is stored; it may outlive the clients opened over it. */
export type MemoryCheckpointData = Map<string, Readonly<{ at: Checkpoint; fence: number }>>;

export function memoryCheckpointStore(
  scheduler: Scheduler,
  data: MemoryCheckpointData = new Map(),
): CheckpointStore {
  return {
    async load() {
      await scheduler.yield();
      return new Map([...data].map(([lane, { at }]) => [lane, at]));
    },

    async save(lane, { position, done }, fence) {
      await scheduler.yield();
      const found = data.get(lane);
      if (found !== undefined && found.fence > fence) throw new Fenced(lane, fence);
      if (found !== undefined && !isBefore(found.at, { position, done })) return;
      data.set(lane, { at: { position, done }, fence });
    },

    close: async () => {},
  };
}

const isBefore = (a: Checkpoint, b: Checkpoint): boolean =>
  a.position < b.position || (a.position === b.position && a.done < b.done);
