import { Worker } from 'node:worker_threads';
import { endThread } from '#src/adapters/threads/end-thread.ts';

type RoleThreadOptions<Answer> = Readonly<{
  name: string;
  /** The file that the thread runs. */
  url: URL;
  workerData: unknown;
  hear: (answer: Answer) => void;
  /** Called at every start of the thread. */
  onStart: () => void;
  /** Called when the thread ended by itself. */
  onFault: (message: string) => void;
}>;

export type RoleThread<Request> = Readonly<{
  tell(request: Request | 'stop'): void;
  /** Reports that the thread works, so that the pause after the next fault is short again. */
  thrives(): void;
  /** Asks the thread to end, and ends it when that takes too long: interrupted work is repeated at the next start. */
  stop(): Promise<void>;
}>;

/**
 * Runs a role in its own thread. A thread that ends by itself has failed and is started again, after a pause that
 * grows: its work resumes from its checkpoints.
 */
export function startRoleThread<Request, Answer>({
  name,
  url,
  workerData,
  hear,
  onStart,
  onFault,
}: RoleThreadOptions<Answer>): RoleThread<Request> {
  let worker: Worker | undefined;
  let stopping = false;
  let restarts = 0;
  let restart: NodeJS.Timeout | undefined;

  const tell = (request: Request | 'stop'): void => worker?.postMessage(request);

  const start = (): void => {
    const started = new Worker(url, { workerData, name, resourceLimits: YOUNG });
    let reason = 'it ended';
    started.on('message', hear);
    started.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    started.on('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      if (stopping) return;
      onFault(`The ${name} failed and is started anew: ${reason}`);
      restart = setTimeout(start, Math.min(RESTART_MS * 2 ** restarts, RESTART_MS_MAX));
      restarts += 1;
    });
    worker = started;
    onStart();
  };

  start();
  return {
    tell,
    thrives() {
      restarts = 0;
    },
    async stop() {
      stopping = true;
      clearTimeout(restart);
      if (worker !== undefined) await endThread(worker, 'stop', STOP_MS_MAX);
    },
  };
}

/** Roles keep little of what they make: with more room for young objects, they only hold more of what is dead. */
const YOUNG = { maxYoungGenerationSizeMb: 24 };
const STOP_MS_MAX = 5000;
const RESTART_MS = 100;
const RESTART_MS_MAX = 30_000;
