import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '#projections/catalog.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { holdRole, type Work } from '#src/runtime/hold-role.ts';
import { postProgress } from '#src/runtime/progress-notice.ts';
import type { Measure } from '#src/runtime/catch-up.ts';
import { createProjector, type Projector } from '#src/runtime/project.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import { createTail, type Tail } from '#src/runtime/tail.ts';
import { HOLDER, isGoneHere } from './holder.ts';
import { isEmbedded, placedLogId, type Places } from './places.ts';
import type { Commons } from './sides.ts';
import { openCommons, openLog, openProjectionSide, type Log } from './stores.ts';

export type ProjectorWorkerData = Readonly<{ places: Places; logId: Uuid }>;

export type ProjectorRequest = 'wake' | 'urge' | 'stop';

/**
 * `woken` answers a `wake` when the log is about to be read, so that one is asked for each reading at most: asking for every
 * commit would keep both threads busy with nothing else at a moderate load.
 */
export type ProjectorAnswer =
  | 'woken'
  | Readonly<{ report: ProjectionReport; fault?: undefined }>
  | Readonly<{ report?: undefined; fault: ProjectionFault }>;

if (parentPort === null) throw new Error('The projector runs in a worker thread');
const port = parentPort;
const { places, logId } = workerData as ProjectorWorkerData;
const scheduler = systemScheduler;
let projector: Projector | undefined;
/** A `wake` has not been answered. */
let asked = false;
let stopping: (() => Promise<void>) | undefined;

const answer = (message: ProjectorAnswer): void => port.postMessage(message);

port.on('message', (request: ProjectorRequest) => {
  if (request === 'stop') {
    void stopping?.();
  } else if (request === 'urge') {
    projector?.urge();
  } else {
    asked = true;
    projector?.wake();
  }
});

const log = await openLog(places, systemIds());
if (log.logId !== logId) throw new Error(`This is the log ${log.logId}, not ${logId}`);
const placed = placedLogId(places, logId);
const commons = await openCommons(places);
await (commons === undefined ? alone() : standingBy(commons));
await log.close();
await commons?.close();
port.close();

/** In a data folder nobody else is there to do it. */
async function alone(): Promise<void> {
  const work = await begin(0, (report) => answer({ report }));
  stopping = () => work.stop();
  await work.run();
}

async function standingBy({ leases, board }: Commons): Promise<void> {
  const role = holdRole({
    name: 'projector',
    holder: HOLDER,
    isGone: isGoneHere,
    leases,
    scheduler,
    begin: (fence) => begin(fence, postProgress(board, placed, fence, scheduler, tellFault)),
    onFault: tellFault,
  });
  stopping = () => role.stop();
  await role.run();
}

async function begin(fence: number, onProgress: (report: ProjectionReport) => void): Promise<Work> {
  const side = await openProjectionSide(places, placed, fence);
  const followed = following(log);
  const own = createProjector({
    log: {
      logId: placed,
      readAll: (after, limit) => followed.readAll(after, limit),
      end: () => log.end(),
    },
    measure: measureOf(places),
    writer: side.writer,
    index: side.index,
    scheduler,
    projections,
    onProgress,
    onFault: (fault) => answer({ fault }),
    onLook() {
      if (asked) answer('woken');
      asked = false;
    },
    batchEvents: 2000, // Behind, it writes a third of the pages that batches of 500 would.
    gatherMs: isEmbedded(places.readStoreUrl) ? 100 : 20, // Nobody from another process can urge it.
    sliceMs: 50, // Nothing else runs in this thread; it only has to hear that it shall stop.
  });
  projector = own;
  return {
    run: () => own.run(),
    async stop() {
      await own.stop();
      await followed.close();
      await side.close();
    },
  };
}

/** Positions of a data folder count events, those of a server bytes: some 2 kB an event, until some were seen. */
function measureOf({ eventStoreUrl }: Places): Measure {
  return { at: Number, perEvent: isEmbedded(eventStoreUrl) ? 1 : 2000 };
}

/** Of a log file the deciding thread tells when it has grown; a server tells by itself. */
function following(whole: Log): Tail {
  if (isEmbedded(places.eventStoreUrl)) return { ...whole, close: async () => {} };
  return createTail({ log: whole, scheduler, onNews: () => projector?.wake() });
}

function tellFault(error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  answer({ fault: { projection: 'projector', position: '' as never, event: undefined, message } });
}
