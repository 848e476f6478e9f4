import type { Scheduler } from '#src/ports/scheduler.ts';

/** Wakes a loop that has nothing to do. A notification between two waits ends the next one at once. */
export type Signal = Readonly<{
  notify(): void;
  /** Resolves on a notification, or after `ms`. */
  wait(ms: number): Promise<void>;
}>;

export function createSignal(scheduler: Scheduler): Signal {
  let notified = false;
  let wake: (() => void) | undefined;
  let wakeAtMs = Infinity;
  /** The earliest timer that is running: timers cannot be canceled, so later waits reuse it. */
  let timerAtMs = Infinity;

  const arm = (): void => {
    if (timerAtMs <= wakeAtMs) return;
    const atMs = wakeAtMs;
    timerAtMs = atMs;
    void scheduler.sleep(Math.max(0, atMs - scheduler.elapsedMs())).then(() => {
      if (timerAtMs === atMs) timerAtMs = Infinity;
      if (wake === undefined) return;
      if (scheduler.elapsedMs() >= wakeAtMs) end();
      else arm();
    });
  };

  const end = (): void => {
    const waiting = wake;
    wake = undefined;
    wakeAtMs = Infinity;
    waiting?.();
  };

  return {
    notify() {
      if (wake === undefined) notified = true;
      else end();
    },
    async wait(ms) {
      if (!notified) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          wakeAtMs = scheduler.elapsedMs() + ms;
          arm();
        });
      }
      notified = false;
    },
  };
}
