import { refuse } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { createAcknowledgements } from './acknowledgements.ts';
import { createLag } from './lag.ts';
import type { CollectionReport, ProjectionReport } from './projection-report.ts';

/** The revision of each journal that a reader must have seen. */
export type SeenRevisions = Readonly<Record<string, Revision>>;

/** Lets reads wait for the writes before them, and writes know how far reads have fallen behind. */
export interface Progress {
  /** Reports that an append of this process is durable. Writers call it in any order across journals. */
  acknowledged(journal: string, revision: Revision, position: Position): void;

  /** Reports that the projector has advanced or stopped. */
  projected(report: ProjectionReport): void;

  /** Reports that the projector's earlier rows are no longer used: reads wait until it has caught up again. */
  restarted(): void;

  /** Reports that the projector's progress is unknown: writes continue, and reads determine it themselves. */
  unknown(): void;

  /**
   * Resolves once a collection shows what this process acknowledged for a journal (or for all journals of a category,
   * `organization`) and what the token names. Errors: Refusal UNAVAILABLE after 2 s, or at once when the projection has
   * stopped.
   */
  reached(collection: string, of: string, token?: SeenRevisions): Promise<void>;

  /** Resolves once a collection shows everything that the log has now, whichever process wrote it. Errors: as `reached`. */
  level(collection: string): Promise<void>;

  /** Returns the age of the oldest acknowledged append that reads do not show yet. */
  lagMs(): number;

  /** Returns whether reads have fallen too far behind: above a lag of 1 s for batches, above 2 s for any write. */
  overloaded(by: 'batch' | 'single'): boolean;
}

/** Creates a Progress; it calls `urge` when a caller begins to wait. */
export function createProgress(
  log: Pick<EventStore, 'read' | 'readAll' | 'end'>,
  scheduler: Scheduler,
  urge: () => void = () => {},
): Progress {
  const collections = new Map<string, CollectionReport>();
  const acknowledgements = createAcknowledgements();
  const lag = createLag(() => scheduler.elapsedMs());
  let waiting: Waiting[] = [];
  let watching = false;
  let caughtUp = false;
  let known = true;

  /** Returns whether a collection shows everything up to a position. During a rebuild, its old rows count. */
  const shows = (collection: string, position: Position): boolean => {
    const report = collections.get(collection);
    if (report?.stopped === true) throw stopped(collection);
    if (report === undefined) return false;
    if (report.rebuilding) return position === START;
    return caughtUp && report.checkpoint >= position;
  };

  const untilShown = (collection: string, position: Position, deadlineMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ collection, position, deadlineMs, resolve, reject });
      urge();
      void watchDeadlines();
    });

  /** Uses one timer for all waiting callers. */
  const watchDeadlines = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    while (waiting.length > 0) {
      await scheduler.sleep(TICK_MS);
      const nowMs = scheduler.elapsedMs();
      const late = waiting.filter(({ deadlineMs }) => deadlineMs <= nowMs);
      waiting = waiting.filter(({ deadlineMs }) => deadlineMs > nowMs);
      for (const { collection, reject } of late) reject(tooFarBehind(collection));
    }
    watching = false;
  };

  const answerWaiting = (): void => {
    waiting = waiting.filter(({ collection, position, resolve, reject }) => {
      try {
        if (!shows(collection, position)) return true;
        resolve();
      } catch (error) {
        reject(error);
      }
      return false;
    });
  };

  /** Looks up the position of an event that this process does not remember; waits for it until the deadline. */
  const find = async (
    collection: string,
    journal: string,
    revision: Revision,
    deadlineMs: number,
  ): Promise<Position> => {
    for (;;) {
      const [event] = await log.read(journal, revision, 1);
      if (event !== undefined) {
        acknowledgements.add(journal, revision, event.position); // The next caller need not look it up.
        return event.position;
      }
      if (scheduler.elapsedMs() >= deadlineMs) throw tooFarBehind(collection);
      await scheduler.sleep(LOOK_AGAIN_MS);
    }
  };

  /** The last event of the log may be one that no collection takes, so look for one of ours before it. */
  const endsBefore = async (collection: string, end: Position): Promise<boolean> => {
    const { checkpoint, rebuilding = true } = collections.get(collection) ?? {};
    if (!caughtUp || rebuilding || checkpoint === undefined) return false;
    const [next] = await log.readAll(checkpoint, 1);
    return next === undefined || next.position > end;
  };

  return {
    acknowledged(journal, revision, position) {
      acknowledgements.add(journal, revision, position);
      lag.acknowledged(position);
    },

    restarted() {
      caughtUp = false;
      collections.clear();
      lag.forget();
    },

    unknown() {
      known = false;
    },

    projected(report) {
      known = true;
      caughtUp = report.caughtUp;
      for (const [name, collection] of report.collections) collections.set(name, collection);
      const going = [...report.collections.values()].filter(({ stopped }) => !stopped);
      const live = furthestBehind(going.filter(({ rebuilding }) => !rebuilding));
      // Keep what rebuilt rows do not show yet, although it does not count as a lag of the projector.
      acknowledgements.projected(furthestBehind(going) ?? START);
      if (live === undefined) lag.forget();
      else lag.projected(live);
      answerWaiting();
    },

    async reached(collection, of, token) {
      const deadlineMs = scheduler.elapsedMs() + WAIT_MS;
      let position = acknowledgements.of(of);
      for (const [journal, revision] of Object.entries(token ?? {})) {
        const named =
          acknowledgements.at(journal, revision) ??
          (await find(collection, journal, revision, deadlineMs));
        if (named > position) position = named;
      }
      if (!shows(collection, position)) await untilShown(collection, position, deadlineMs);
    },

    async level(collection) {
      const deadlineMs = scheduler.elapsedMs() + WAIT_MS;
      const end = await log.end();
      while (!shows(collection, end)) {
        if (await endsBefore(collection, end)) return;
        if (scheduler.elapsedMs() >= deadlineMs) throw tooFarBehind(collection);
        urge();
        await scheduler.sleep(LOOK_AGAIN_MS);
      }
    },

    lagMs: lag.ms,
    overloaded: (by) => known && lag.ms() > OVERLOADED_MS[by],
  };
}

type Waiting = Readonly<{
  collection: string;
  position: Position;
  deadlineMs: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}>;

const furthestBehind = (reports: readonly CollectionReport[]): Position | undefined =>
  reports
    .map(({ checkpoint }) => checkpoint)
    .reduce<Position | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);

const WAIT_MS = 2000;
const OVERLOADED_MS = { batch: 1000, single: 2000 };
const TICK_MS = 50;
const LOOK_AGAIN_MS = 50;

const tooFarBehind = (collection: string) =>
  refuse('UNAVAILABLE', `The ${collection} read model does not show the latest writes yet.`, {
    retryAfterSeconds: 1,
  });

const stopped = (collection: string) =>
  refuse('UNAVAILABLE', `The ${collection} read model has stopped; see /readyz.`, {
    retryAfterSeconds: 30,
  });
