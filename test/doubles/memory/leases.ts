import type { Leases } from '#src/ports/leases.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

type Held = { holder: string | undefined; fence: number; beat: number };

/** What contenders share; each opens leases of its own over it. */
export type MemoryLeaseData = Map<string, Held>;

export function memoryLeases(scheduler: Scheduler, data: MemoryLeaseData = new Map()): Leases {
  const seen = new Map<string, Readonly<{ fence: number; beat: number; sinceMs: number }>>();
  const mine = (name: string, fence: number): Held | undefined => {
    const held = data.get(name);
    return held?.fence === fence && held.holder !== undefined ? held : undefined;
  };

  return {
    async acquire(name, holder, forMs, isGone = () => false) {
      await scheduler.yield();
      const held = data.get(name);
      if (held?.holder !== undefined && !isGone(held.holder)) {
        const { fence, beat } = held;
        const last = seen.get(name);
        const nowMs = scheduler.elapsedMs();
        if (last?.fence !== fence || last.beat !== beat) {
          seen.set(name, { fence, beat, sinceMs: nowMs });
          return undefined;
        }
        if (nowMs - last.sinceMs < forMs) return undefined;
      }
      const fence = (held?.fence ?? 0) + 1;
      data.set(name, { holder, fence, beat: 0 });
      seen.delete(name);
      return { name, holder, fence };
    },

    async renew({ name, fence }) {
      await scheduler.yield();
      const held = mine(name, fence);
      if (held === undefined) return false;
      held.beat += 1;
      return true;
    },

    async release({ name, fence }) {
      await scheduler.yield();
      const held = mine(name, fence);
      if (held !== undefined) held.holder = undefined;
    },

    close: async () => {},
  };
}
