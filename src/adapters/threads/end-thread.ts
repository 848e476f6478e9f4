import type { Worker } from 'node:worker_threads';

/** Asks a thread to end, and terminates it if it is still running after `graceMs`. */
export async function endThread(worker: Worker, request: unknown, graceMs: number): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(request);
  const terminating = setTimeout(() => void worker.terminate(), graceMs);
  await ended;
  clearTimeout(terminating);
}
