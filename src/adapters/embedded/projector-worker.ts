import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '#projections/catalog.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { createProjector } from '#src/runtime/project.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import { openEmbeddedJournalIndex } from './journal-index.ts';
import { openEmbeddedLog } from './log.ts';
import { openEmbeddedReadStoreWriter } from './read-store-writer.ts';

export type ProjectorWorkerData = Readonly<{ dir: string; logId: Uuid }>;

export type ProjectorRequest = 'wake' | 'urge' | 'stop';

/** `woken` answers each `wake`, so that the main thread has one of them on its way at most. */
export type ProjectorAnswer =
  | 'woken'
  | Readonly<{ report: ProjectionReport; fault?: undefined }>
  | Readonly<{ report?: undefined; fault: ProjectionFault }>;

export type { ProjectionFault, ProjectionReport };

if (parentPort === null) throw new Error('The projector runs in a worker thread');
const port = parentPort;
const { dir, logId } = workerData as ProjectorWorkerData;

const scheduler: Scheduler = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  elapsedMs: () => performance.now(),
  random: () => Math.random(),
};

const log = openEmbeddedLog(dir);
if (log.logId !== logId) throw new Error(`${dir} holds the log ${log.logId}, not ${logId}`);
const writer = openEmbeddedReadStoreWriter(dir);
const index = openEmbeddedJournalIndex(dir, logId);

const answer = (message: ProjectorAnswer): void => port.postMessage(message);
const projector = createProjector({
  log,
  writer,
  index,
  scheduler,
  projections,
  onProgress: (report) => answer({ report }),
  onFault: (fault) => answer({ fault }),
  batchEvents: 2000, // Behind, it writes a third of the pages that batches of 500 would.
  gatherMs: 100,
  sliceMs: 50, // Nothing else runs in this thread; it only has to hear that it shall stop.
});

port.on('message', (request: ProjectorRequest) => {
  if (request === 'stop') {
    void end();
  } else if (request === 'urge') {
    projector.urge();
  } else {
    projector.wake();
    answer('woken');
  }
});
await projector.run();

async function end(): Promise<void> {
  await projector.stop();
  await Promise.all([log.close(), writer.close(), index.close()]);
  port.close();
}
