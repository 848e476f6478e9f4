import { parentPort, workerData } from 'node:worker_threads';
import { bodiesFromLog } from './bodies-from-log.ts';
import { projections } from './projections.ts';
import type { DerivedFlags } from '#src/adapters/embedded/derived-flags.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { DerivedDamaged } from '#src/ports/errors.ts';
import { holdRole, type Work } from '#src/runtime/hold-role.ts';
import { postProgress } from '#src/runtime/projector-progress.ts';
import { createProjector, type Projector } from '#src/runtime/project.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import { createTail, type LogTail } from '#src/runtime/tail.ts';
import { collectAtRest } from './collect-at-rest.ts';
import { LEASE_OWNER, isDeadOwner } from './lease-owner.ts';
import { indexTable } from './index-table.ts';
import { measureOf } from './measure.ts';
import { isEmbedded, placedLogId, type StoreUrls } from './store-urls.ts';
import type { SharedStores, ProjectorStores } from './store-sets.ts';
import { openCommons, openLog, openProjectionSide, type ReadableLog } from './stores.ts';
import { freshTraces, openSpans } from './tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';

export type ProjectorWorkerData = Readonly<{
  places: StoreUrls;
  logId: Uuid;
  flags: DerivedFlags;
  tracing: TracingSettings | undefined;
}>;

export type ProjectorRequest = 'wake' | 'urge' | 'stop';

/**
 * `woken` acknowledges a `wake` when the log is about to be read, so that there is at most one request for each
 * reading: a request for every commit would keep both threads busy with nothing else at a moderate load.
 */
export type ProjectorAnswer =
  | 'woken'
  | Readonly<{ report: ProjectionReport; fault?: undefined }>
  /** The reason for which derived data is rebuilt from the log. */
  | Readonly<{ report?: undefined; fault?: undefined; rebuilding: string }>
  | Readonly<{ report?: undefined; fault: ProjectionFault }>;

if (parentPort === null) throw new Error('The projector runs in a worker thread');
const port = parentPort;
const { places, logId, flags, tracing } = workerData as ProjectorWorkerData;
const scheduler = systemScheduler;
let projector: Projector | undefined;
/** The interval at which this thread checks whether another one found damage. */
const LOOK_MS = 200;
/** A `wake` has not been acknowledged. */
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

const spans = await openSpans(tracing, 'projector');
const log = await openLog(places, systemIds());
if (log.logId !== logId) throw new Error(`This is the log ${log.logId}, not ${logId}`);
const placed = placedLogId(places, logId);
const commons = await openCommons(places);
collectAtRest();
await (commons === undefined ? alone() : standingBy(commons));
await log.close();
await commons?.close();
await spans?.close();
port.close();

/** Runs the projector on a data folder, where no other process competes for the role. */
async function alone(): Promise<void> {
  const work = await begin(0, (report) => answer({ report }));
  stopping = () => work.stop();
  await work.run();
}

async function standingBy({ leases, board }: SharedStores): Promise<void> {
  const role = holdRole({
    name: 'projector',
    holder: LEASE_OWNER,
    isGone: isDeadOwner,
    leases,
    scheduler,
    begin: (fence) => begin(fence, postProgress(board, placed, fence, scheduler, tellFault)),
    onFault: tellFault,
  });
  stopping = () => role.stop();
  await role.run();
}

async function begin(fence: number, onProgress: (report: ProjectionReport) => void): Promise<Work> {
  const onRebuild = (message: string): void => answer({ rebuilding: message });
  const side = await openProjectionSide(places, placed, {
    ...{ fence, flags, bodies: bodiesFromLog, onRebuild },
  });
  const followed = following(log);
  const own = createProjector({
    log: {
      logId: placed,
      readAll: (after, limit) => followed.readAll(after, limit),
      at: (position) => log.at(position),
      end: () => log.end(),
    },
    measure: measureOf(places),
    writer: side.writer,
    index: side.index,
    indexTable,
    scheduler,
    projections,
    onProgress,
    onFault: (fault) => answer({ fault }),
    onRebuild,
    onLook() {
      if (asked) answer('woken');
      asked = false;
    },
    ...(spans && {
      during: (events, work) => spans.during('project', freshTraces(events), work),
    }),
    batchEvents: 2000, // Behind, it writes a third of the pages that batches of 500 would.
    gatherMs: isEmbedded(places.readStoreUrl) ? 100 : 20, // Other processes cannot urge it.
    sliceMs: 50, // Nothing else runs in this thread but the check for a stop.
  });
  projector = own;
  const watch = watching(side, own, onRebuild);
  const end = async (): Promise<void> => {
    clearInterval(watch.timer);
    await own.stop();
    await followed.close();
    await side.close();
  };
  return {
    async run() {
      try {
        await own.run();
      } catch (error) {
        if (error instanceof DerivedDamaged) onRebuild(error.message);
        await end();
        throw error;
      }
      if (watch.flaw !== undefined) {
        await end();
        throw new DerivedDamaged(watch.flaw);
      }
    },
    stop: end,
  };
}

/**
 * Checks whether another thread found derived data of this one wrong; it is then opened again, and rebuilt from the
 * log.
 */
function watching(
  side: ProjectorStores,
  own: Projector,
  onRebuild: (message: string) => void,
): Readonly<{ timer: NodeJS.Timeout; flaw: string | undefined }> {
  const watch = {
    flaw: undefined as string | undefined,
    timer: setInterval(() => {
      side.flaw().then(
        (flaw) => {
          if (flaw === undefined || watch.flaw !== undefined) return;
          watch.flaw = flaw;
          onRebuild(`${flaw}: it is built again from the log.`);
          void own.stop();
        },
        () => undefined, // An unavailable store is reported elsewhere.
      );
    }, LOOK_MS).unref(),
  };
  return watch;
}

/** Follows the log: the deciding thread reports that a log file has grown; a server reports it by itself. */
function following(whole: ReadableLog): LogTail {
  if (isEmbedded(places.eventStoreUrl)) return { ...whole, close: async () => {} };
  return createTail({ log: whole, scheduler, onNews: () => projector?.wake() });
}

function tellFault(error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  answer({ fault: { projection: 'projector', position: '' as never, event: undefined, message } });
}
