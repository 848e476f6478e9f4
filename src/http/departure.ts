import type { Readiness } from './services.ts';

/** Takes a process out of the rotation of its balancer before it stops listening. */
export type Departure = Readonly<{
  /** Returns the readiness to report: not ready once `announce` was called. */
  readiness: () => Promise<Readiness>;
  /**
   * Reports the process as not ready and resolves when a balancer has had time to notice; at once if none has asked within a
   * minute.
   */
  announce: () => Promise<void>;
}>;

export function createDeparture(readiness: () => Readiness | Promise<Readiness>): Departure {
  let askedMs = -Infinity;
  let leaving = false;
  return {
    async readiness() {
      askedMs = performance.now();
      const now = await readiness();
      return leaving ? { ...now, ready: false, checks: { ...now.checks, process: ENDING } } : now;
    },
    async announce() {
      leaving = true;
      if (performance.now() - askedMs > WATCHED_MS) return;
      await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    },
  };
}

const ENDING = { status: 'down', latency_ms: 0, detail: 'The process ends' } as const;
/** A balancer asks every few seconds; one that has not asked for this long is not there. */
const WATCHED_MS = 60_000;
const NOTICE_MS = 1000;
