import type { AddressInfo } from 'node:net';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { openEmbeddedJournalIndexReader } from '#src/adapters/embedded/journal-index.ts';
import { startProjector } from '#src/adapters/embedded/projector.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { httpServer } from '#src/http/server.ts';
import { createCommands } from '#src/http/submit.ts';
import { createJournals } from '#src/journal/journals.ts';
import { createProgress } from '#src/runtime/progress.ts';
import { createParents } from '#queries/parents.ts';
import { about } from './about.ts';
import { deciders } from './deciders.ts';
import { readinessOf } from './readiness.ts';
import { resumeLedgers } from './resume.ts';
import { routes } from './routes.ts';
import type { Settings } from './settings.ts';
import { createSnapshots } from './snapshots.ts';

export type Running = Readonly<{
  address: AddressInfo;
  /** Accepts nothing more, finishes what was accepted, closes every file. */
  stop: () => Promise<void>;
}>;

/**
 * Everything in one process over one data folder. This thread serves HTTP and decides; threads commit, project,
 * answer queries and take snapshots. `onFatal` is told when the disk failed: nothing is acknowledged any more.
 */
export async function startEmbedded(
  settings: Settings,
  onFatal: (error: Error) => void,
): Promise<Running> {
  const dir = settings.dataDir;
  const ids = systemIds();
  const scheduler = systemScheduler;
  const lock = lockFolder(dir);
  const store = await openEmbeddedEventStore(dir, { ids, onFatal });
  const index = openEmbeddedJournalIndexReader(dir, store.logId);
  const reads = openEmbeddedReadStore(dir);
  const snapshotStore = openEmbeddedSnapshotStore(dir);
  const snapshots = createSnapshots(dir, (journal, error) => {
    log('warn', `No snapshot of ${journal}`, error);
  });

  const progress = createProgress(store, scheduler, () => {
    projector.urge();
  });
  let resumed = false;
  const stopped = new Map<string, string>();
  const projector = startProjector(
    dir,
    store.logId,
    (report) => {
      progress.projected(report);
      journals.indexed(report.indexed);
      if (!report.caughtUp || resumed) return;
      resumed = true;
      resumeLedgers(journals, { index, store }).catch((error: unknown) => {
        log('error', 'What was begun in two journals could not be resumed', error);
      });
    },
    ({ projection, message }) => {
      stopped.set(projection, message);
      log('error', message);
    },
  );

  const journals = createJournals(
    deciders,
    { store, index, snapshots: snapshotStore, clock: systemClock, ids, scheduler },
    {
      acknowledged: (journal, revision, position) => {
        progress.acknowledged(journal, revision, position);
        projector.wake();
      },
      contended: () => undefined, // The folder is locked: nobody else writes.
      grown: (journal) => {
        snapshots.request(journal);
      },
      fault: (journal, error) => {
        log('error', `The journal ${journal} is loaded anew`, error);
      },
    },
  );
  const unloading = setInterval(() => {
    journals.unloadIdle(IDLE_MS);
  }, IDLE_MS / 4).unref();

  const server = httpServer({
    routes,
    services: {
      readiness: readinessOf({ store, reads, progress, stopped }),
      commands: createCommands(journals, progress, scheduler, settings.idempotencyBodyHashSeconds),
      ids,
      reads,
      log: store,
      progress,
      parents: createParents({ reads, progress }, scheduler),
      inProduction: settings.envName === 'production',
      logId: store.logId,
    },
    ids,
    clock: systemClock,
    about,
    limitMax: settings.maxPaginationLimit,
    allowedOrigins: settings.corsAllowedOrigins,
    errorDocsBaseUrl: settings.errorDocsBaseUrl,
  });

  return {
    address: await server.listen(settings.port, settings.host),
    async stop() {
      clearInterval(unloading);
      await server.close();
      await snapshots.close();
      await projector.stop();
      await store.close(); // After whoever reads its file.
      await Promise.all([reads.close(), index.close(), snapshotStore.close()]);
      lock.release();
    },
  };
}

/** A ledger nobody has used for this long leaves memory; its next command loads it again. */
const IDLE_MS = 10 * 60_000;

function log(level: 'warn' | 'error', message: string, error?: unknown): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : error;
  process.stderr.write(JSON.stringify({ level, message, cause }) + '\n');
}
