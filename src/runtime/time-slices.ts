import type { Scheduler } from '#src/ports/scheduler.ts';

/** Returns a function for long work to await often: it lets the thread do something else after each slice of time. */
export function timeSlices(
  scheduler: Pick<Scheduler, 'elapsedMs' | 'yield'>,
  sliceMs: number,
): () => Promise<void> {
  let startedMs = scheduler.elapsedMs();
  return async () => {
    if (scheduler.elapsedMs() - startedMs < sliceMs) return;
    await scheduler.yield();
    startedMs = scheduler.elapsedMs();
  };
}
