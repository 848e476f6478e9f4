import { Fenced } from '#src/ports/checkpoint-store.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What is posted; all processes see the same. */
export type MemoryNoticeData = Map<string, Readonly<{ text: string; fence: number }>>;

export function memoryClusterMessages(
  scheduler: Scheduler,
  data: MemoryNoticeData = new Map(),
): ClusterMessages {
  return {
    async post(name, text, fence) {
      await scheduler.yield();
      if ((data.get(name)?.fence ?? fence) > fence) throw new Fenced(name, fence);
      data.set(name, { text, fence });
    },

    async read(name) {
      await scheduler.yield();
      return data.get(name)?.text;
    },

    async list(prefix) {
      await scheduler.yield();
      const found = [...data].filter(([name]) => name.startsWith(prefix));
      return new Map(found.map(([name, { text }]) => [name, text]));
    },

    close: async () => {},
  };
}
