import { workerFile } from '#src/kernel/worker-file.ts';
import { START } from '#src/ports/event-store.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import type { ProjectorAnswer, ProjectorRequest, ProjectorWorkerData } from './projector-worker.ts';
import { startRoleThread } from './role-thread.ts';

export type ProjectorThread = Readonly<{
  /** Reports that there may be more in the log. Cheap enough to call after every append. */
  wake(): void;
  /** Reports that a reader waits for what was written. */
  urge(): void;
  /** Finishes the current batch and ends the thread. */
  stop(): Promise<void>;
}>;

/** Starts the projector in its own thread, once the event store is open. */
export function startProjector(
  data: ProjectorWorkerData,
  onProgress: (report: ProjectionReport) => void,
  onFault: (fault: ProjectionFault) => void,
  onRebuild: (message: string) => void,
): ProjectorThread {
  let waking: 'no' | 'asked' | 'asked, and again' = 'no';
  let urging = false;

  const wake = (): void => {
    if (waking === 'no') thread.tell('wake');
    waking = waking === 'no' ? 'asked' : 'asked, and again';
  };

  const hear = (answer: ProjectorAnswer): void => {
    if (answer === 'woken') {
      const again = waking === 'asked, and again';
      waking = 'no';
      if (again) wake();
    } else if (answer.report !== undefined) {
      urging = false;
      if (answer.report.caughtUp) thread.thrives();
      onProgress(answer.report);
    } else if (answer.fault !== undefined) {
      onFault(answer.fault);
    } else {
      onRebuild(answer.rebuilding);
    }
  };

  const thread = startRoleThread<ProjectorRequest, ProjectorAnswer>({
    name: 'projector',
    url: workerFile('projector-worker', import.meta.url),
    workerData: data,
    hear,
    onStart() {
      urging = false;
      waking = 'no'; // It reads to the end of the log without being asked.
    },
    onFault(message) {
      onFault({ projection: 'projector', position: START, event: undefined, message });
    },
  });

  return {
    wake,
    urge() {
      if (!urging) thread.tell('urge');
      urging = true; // One pending request is enough: the events are already in the log.
    },
    stop: () => thread.stop(),
  };
}
