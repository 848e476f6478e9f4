import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/**
 * Saves the checkpoints of lanes soon after they moved. Records after the last saved one are published again after a
 * crash.
 */
export type CheckpointKeeper = Readonly<{
  /** Reports a new checkpoint; `soon` says that records were published, not only skipped. */
  moved(lane: string, checkpoint: Checkpoint, soon: boolean): void;
  /** Resolves when a save becomes due. */
  untilDue(): Promise<void>;
  /** Saves the checkpoints that are due. If the store is unavailable, it is tried again later. Errors: Fenced. */
  saveDue(): Promise<void>;
  /** Saves all checkpoints in one attempt. Errors: Fenced, Unavailable. */
  saveAll(): Promise<void>;
}>;

export function createCheckpointKeeper(
  store: CheckpointStore,
  fence: number,
  scheduler: Scheduler,
): CheckpointKeeper {
  const unsaved = new Map<string, Checkpoint>();
  let due = new Set<string>();
  let allSavedMs = scheduler.elapsedMs();
  let tellDue = (): void => {};

  const save = async (lanes: Iterable<string>): Promise<void> => {
    const saving = [...lanes].map(async (lane) => {
      const checkpoint = unsaved.get(lane);
      if (checkpoint === undefined) return;
      await store.save(lane, checkpoint, fence);
      if (unsaved.get(lane) === checkpoint) unsaved.delete(lane);
    });
    const outcomes = await Promise.allSettled(saving);
    const errors = outcomes
      .filter((one) => one.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    const worst = errors.find((error) => !(error instanceof Unavailable)) ?? errors[0];
    if (worst !== undefined) throw worst as Error;
  };

  return {
    moved(lane, checkpoint, soon) {
      unsaved.set(lane, checkpoint);
      if (!soon) return;
      due.add(lane);
      tellDue();
    },
    untilDue: () =>
      due.size > 0 ? Promise.resolve() : new Promise((resolve) => (tellDue = resolve)),
    async saveDue() {
      const all = scheduler.elapsedMs() - allSavedMs >= ALL_EVERY_MS;
      const lanes = all ? [...unsaved.keys()] : due;
      due = new Set();
      if (all) allSavedMs = scheduler.elapsedMs();
      try {
        await save(lanes);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        for (const lane of lanes) due.add(lane);
      }
    },
    saveAll: () => save([...unsaved.keys()]),
  };
}

const ALL_EVERY_MS = 5000;
