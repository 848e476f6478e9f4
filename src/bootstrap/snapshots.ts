import { Worker } from 'node:worker_threads';
import { workerFile } from '#src/kernel/worker-file.ts';
import type { StoreUrls } from './store-urls.ts';
import type { SnapshotWorkerData } from './snapshot-worker.ts';

export interface Snapshots {
  /** Requests a snapshot; repeated requests for a waiting journal have no effect. */
  request(journal: string): void;
  /** Abandons the snapshot in progress; the previous one stays valid. */
  close(): Promise<void>;
}

/**
 * Takes snapshots one at a time, each in a thread that ends with it and frees its memory. A failure only makes the next
 * start longer.
 */
export function createSnapshots(
  places: StoreUrls,
  onFault: (journal: string, error: unknown) => void,
): Snapshots {
  const waiting = new Set<string>();
  let working: Worker | undefined;
  let closed = false;

  const next = (): void => {
    const [journal] = waiting;
    if (journal === undefined || working !== undefined || closed) return;
    waiting.delete(journal);
    const workerData: SnapshotWorkerData = { places, journal };
    const worker = new Worker(workerFile('snapshot-worker', import.meta.url), {
      workerData,
      name: 'snapshot',
    });
    working = worker;
    worker.on('error', (error) => {
      onFault(journal, error);
    });
    worker.on('exit', () => {
      working = undefined;
      next();
    });
  };

  return {
    request(journal) {
      waiting.add(journal);
      next();
    },
    async close() {
      closed = true;
      await working?.terminate();
    },
  };
}
