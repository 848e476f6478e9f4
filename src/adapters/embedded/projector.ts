import { Worker } from 'node:worker_threads';
import type { Uuid } from '#src/domain/ids.ts';
import { START } from '#src/ports/event-store.ts';
import type {
  ProjectionFault,
  ProjectionReport,
  ProjectorAnswer,
  ProjectorRequest,
  ProjectorWorkerData,
} from './projector-worker.ts';

export type EmbeddedProjector = Readonly<{
  /** There may be more in the log. Cheap: to be called after every append. */
  wake(): void;
  /** Somebody waits to read what was written. */
  urge(): void;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}>;

/**
 * Starts the projector of a data folder in a thread of its own, once the event store is open. A thread that
 * ends by itself is a fault and is started anew: its work resumes from its checkpoints.
 */
export function startProjector(
  dir: string,
  logId: Uuid,
  onProgress: (report: ProjectionReport) => void,
  onFault: (fault: ProjectionFault) => void,
): EmbeddedProjector {
  let worker: Worker | undefined;
  let stopping = false;
  let waking: 'no' | 'asked' | 'asked, and again' = 'no';
  let urging = false;
  let restarts = 0;
  let restart: NodeJS.Timeout | undefined;

  const tell = (request: ProjectorRequest): void => worker?.postMessage(request);

  const wake = (): void => {
    if (waking === 'no') tell('wake');
    waking = waking === 'no' ? 'asked' : 'asked, and again';
  };

  const urge = (): void => {
    if (!urging) tell('urge');
    urging = true; // One on its way is enough: what is waited for is in the log already.
  };

  const hear = (answer: ProjectorAnswer): void => {
    if (answer === 'woken') {
      const again = waking === 'asked, and again';
      waking = 'no';
      if (again) wake();
    } else if (answer.report !== undefined) {
      urging = false;
      if (answer.report.caughtUp) restarts = 0;
      onProgress(answer.report);
    } else {
      onFault(answer.fault);
    }
  };

  const start = (): void => {
    const data: ProjectorWorkerData = { dir, logId };
    const url = new URL('./projector-worker.ts', import.meta.url);
    const started = new Worker(url, { workerData: data, name: 'projector' });
    let reason = 'it ended';
    started.on('message', hear);
    started.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    started.on('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      if (stopping) return;
      const message = `The projector failed and is started anew: ${reason}`;
      onFault({ projection: 'projector', position: START, event: undefined, message });
      restart = setTimeout(start, Math.min(RESTART_MS * 2 ** restarts, RESTART_MS_MAX));
      restarts += 1;
    });
    worker = started;
    urging = false;
    waking = 'no'; // It reads to the end of the log without being asked.
  };

  start();
  return {
    wake,
    urge,
    async stop() {
      stopping = true;
      clearTimeout(restart);
      if (worker === undefined) return;
      const ended = new Promise((resolve) => worker?.once('exit', resolve));
      tell('stop');
      const impatience = setTimeout(() => void worker?.terminate(), STOP_MS_MAX);
      await ended;
      clearTimeout(impatience);
    },
  };
}

/** A batch takes some 20 ms; what is cut off is repeated at the next start. */
const STOP_MS_MAX = 5000;
const RESTART_MS = 100;
const RESTART_MS_MAX = 30_000;
