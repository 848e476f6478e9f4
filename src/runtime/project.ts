import { anchorFlaw, type Anchor } from '#src/ports/anchor.ts';
import { isIntact } from '#src/kernel/event-hash.ts';
import type { IndexTable } from '#src/kernel/index-table.ts';
import { DerivedDamaged } from '#src/ports/errors.ts';
import { START, type EventStore, type Position, type StoredEvent } from '#src/ports/event-store.ts';
import { damaged } from '#src/ports/intact.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { ReadStoreWriter } from '#src/ports/read-store.ts';
import { createRetry, Stopped } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { applyBatch, type Applying } from './apply-batch.ts';
import { createCatchUp, type Behind, type Measure } from './catch-up.ts';
import { consumerOf } from './collection-consumer.ts';
import { faultAt, type Consumer, type CollectionWriter } from './consumer.ts';
import { IndexBatches } from './index-batches.ts';
import { IndexConsumer } from './index-consumer.ts';
import { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault, ProjectionReport } from './projection-report.ts';

export type ProjectorOptions = Readonly<{
  log: Pick<EventStore, 'logId' | 'readAll' | 'at' | 'end'>;
  writer: ReadStoreWriter;
  index: JournalIndex;
  /** Defines which names of each type of event are indexed. */
  indexTable: IndexTable;
  scheduler: Scheduler;
  projections: readonly Projection[];
  onProgress: (report: ProjectionReport) => void;
  onFault: (fault: ProjectionFault) => void;
  /** Called when derived data does not follow from the log and is rebuilt from its start. */
  onRebuild?: (message: string) => void;
  /** Called before the log is read: existing events will be seen, later ones need another `wake`. */
  onLook?: () => void;
  /**
   * The milliseconds for which events are gathered before they are applied, unless a reader waits for them. A batch
   * costs by the pages it touches, so one large batch writes a fraction of what many small ones do. After a round that
   * took longer, events are gathered for as long as that, up to 100 ms: a busy store gets fewer and larger batches.
   */
  gatherMs?: number;
  /** Milliseconds of work between two yields; the default suits a thread shared with other work. */
  sliceMs?: number;
  /** With it and the end of the log, reports include the distance left. */
  measure?: Measure;
  /** Wraps the work of each batch, to record it in the traces of its events. */
  during?: (events: readonly LoggedEvent[], work: () => Promise<void>) => Promise<void>;
  /** The number of events that are read at once and applied in one transaction. */
  batchEvents?: number;
}>;

export type Projector = Readonly<{
  /**
   * Reads the log to its end, then sleeps until woken; resolves once stopped. Errors: those of opening; DerivedDamaged
   * when derived data must be opened again and rebuilt from the log.
   */
  run(): Promise<void>;
  /** Reports that there may be more in the log. */
  wake(): void;
  /** Reports that a reader waits, so that nothing is gathered for now. */
  urge(): void;
  /** Finishes the current batch; resolves when nothing runs any more. */
  stop(): Promise<void>;
}>;

/**
 * Folds the log into the read models and the journal index. Each has its own checkpoint, written together with what it
 * covers, so a crash between any two steps repeats at most one batch, which is harmless. Consumers at the same position
 * share one reading of the log. One that is behind, because it is rebuilt, gets its own batch in every round and delays
 * no other. One that fails on an event stops there, alone.
 */
export function createProjector(options: ProjectorOptions): Projector {
  const { log, writer, scheduler, projections, onProgress, onFault, onLook, onRebuild } = options;
  const { batchEvents = BATCH_EVENTS, sliceMs = SHARED_SLICE_MS, gatherMs = 0 } = options;
  const { during = withoutSpans } = options;
  const index = new IndexBatches(options.index, () => scheduler.elapsedMs());
  let collections: readonly CollectionWriter[] = [];
  let indexing: IndexConsumer | undefined;
  let indexable = true;
  /** The end of the log when the projector started. */
  let past = START;
  let caughtUp = false;
  const stopping = new AbortController();
  let woken = false;
  let urged = false;
  let wakeUp = () => {};
  let hurryUp = () => {};
  let running: Promise<void> | undefined;
  let sliceStartedMs = scheduler.elapsedMs();
  let roundMs = 0;

  const catchUp = options.measure && createCatchUp(options.measure, () => scheduler.elapsedMs());
  let end = START;
  let endSeenMs = Number.NEGATIVE_INFINITY;

  const retry = createRetry({ scheduler, backoff: BACKOFF, stop: stopping.signal });
  const isStopping = (): boolean => stopping.signal.aborted;

  /** Returns the consumers that are not stopped, the furthest behind first. */
  const going = (): Consumer[] =>
    [...collections, ...(indexing ? [indexing] : [])]
      .filter(({ fault }) => fault === undefined)
      .sort((a, b) => compare(a.checkpoint, b.checkpoint));

  const open = async (): Promise<void> => {
    past = await log.end();
    const specs = projections.map(({ collection }) => collection);
    let opened = await writer.open(log.logId, specs);
    const flaw = await firstFlaw(await writer.anchors());
    if (flaw !== undefined) {
      onRebuild?.(`The read models are built again from the log: ${flaw}.`);
      await writer.forget();
      opened = await writer.open(log.logId, specs);
    }
    const indexFlaw =
      (await options.index.flaw()) ?? (await firstFlaw([await options.index.anchor()]));
    if (indexFlaw !== undefined) {
      onRebuild?.(`The journal index is built again from the log: ${indexFlaw}.`);
      await options.index.forget();
    }
    collections = projections.map((projection) => {
      const at = opened.get(projection.collection.name);
      if (at === undefined) throw new Error(`${projection.collection.name} was not opened`);
      return consumerOf(projection, writer, at);
    });
    indexing = new IndexConsumer(index, options.indexTable, await index.checkpoint());
  };

  const firstFlaw = async (anchors: readonly Anchor[]): Promise<string | undefined> => {
    for (const anchor of anchors) {
      const flaw = await anchorFlaw(log, anchor);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  };

  const run = async (): Promise<void> => {
    await retry(open);
    report();
    while (!isStopping() && going().length > 0) {
      woken = false;
      urged = false;
      onLook?.();
      const beganMs = scheduler.elapsedMs();
      const ended = await round();
      roundMs = scheduler.elapsedMs() - beganMs;
      if (ended && !caughtUp) {
        await writeIndex();
        caughtUp = true;
        report();
      }
      const indexesLeft = await indexMetadata();
      if (ended && !indexesLeft) await sleep();
      await breathe();
    }
    await writeIndex();
  };

  /** Applies one batch from every position at which consumers stand. Returns whether all are at the end of the log. */
  const round = async (): Promise<boolean> => {
    let waiting = going();
    let ended = true;
    let furthest = true;
    await lookForEnd();
    while (!isStopping() && waiting[0] !== undefined) {
      const { checkpoint } = waiting[0];
      const stored = await readAfter(checkpoint);
      const last = stored.at(-1)?.position ?? checkpoint;
      // Consumers that stand within this batch take the rest of it, and are level with the others from then on.
      const taking = waiting.filter((consumer) => consumer.checkpoint <= last);
      waiting = waiting.filter((consumer) => consumer.checkpoint > last);
      const events = stored.map((event) => new LoggedEvent(event));
      await during(events, () => applyBatch(taking, events, applying));
      if (furthest) catchUp?.passed(checkpoint, last, stored.length);
      furthest = false;
      if (stored.length < batchEvents) await swapIn(taking);
      else ended = false;
      if (stored.length > 0) report();
    }
    return ended;
  };

  /** Looks up the end of the log for reports of consumers that are behind, because it moves meanwhile. */
  const lookForEnd = async (): Promise<void> => {
    if (!isBehind() || scheduler.elapsedMs() - endSeenMs < END_EVERY_MS) return;
    endSeenMs = scheduler.elapsedMs();
    try {
      end = await log.end();
    } catch {
      // The log is unavailable, which the next read will report.
    }
  };

  const isBehind = (): boolean =>
    catchUp !== undefined && (!caughtUp || collections.some(({ rebuilding }) => rebuilding));

  const behind = (): Behind | undefined => {
    const furthest = going()[0]?.checkpoint;
    if (!isBehind() || furthest === undefined) return undefined;
    return catchUp?.behind(furthest, furthest > end ? furthest : end);
  };

  /**
   * Takes one step of building metadata indexes; returns whether more follow. Reads work without an index that fails.
   */
  const indexMetadata = async (): Promise<boolean> => {
    if (!indexable) return false;
    try {
      return await retry(() => writer.indexMetadata());
    } catch (error) {
      if (error instanceof Stopped) return false;
      if (error instanceof DerivedDamaged) throw error;
      indexable = false;
      const message = `Indexes on metadata are not made: ${String(error)}`;
      onFault({ projection: 'metadata indexes', position: START, event: undefined, message });
      return false;
    }
  };

  const readAfter = async (position: Position): Promise<readonly StoredEvent[]> => {
    try {
      return await retry(() => log.readAll(position, batchEvents));
    } catch (error) {
      for (const consumer of going()) stopAt(consumer, undefined, error); // No consumer can continue.
      return [];
    }
  };

  /** Makes rebuilt collections that have reached the end of the log visible to readers. */
  const swapIn = async (level: readonly Consumer[]): Promise<void> => {
    for (const consumer of level) {
      if (!consumer.rebuilding || consumer.fault !== undefined) continue;
      try {
        await retry(() => writer.swap(consumer.name));
        consumer.rebuilding = false;
        report();
      } catch (error) {
        stopAt(consumer, undefined, error);
      }
    }
  };

  const stopAt = (consumer: Consumer, event: LoggedEvent | undefined, cause: unknown): void => {
    if (cause instanceof Stopped) return;
    if (cause instanceof DerivedDamaged) throw cause; // The caller of `run` opens everything again.
    consumer.fault = faultAt(consumer, event, cause);
    onFault(consumer.fault);
    report();
  };

  const report = (): void => {
    const reports = collections.map(
      ({ name, checkpoint, rebuilding, fault }) =>
        [name, { checkpoint, rebuilding, stopped: fault !== undefined }] as const,
    );
    const places = going().map((one) => (one === indexing ? index.written : one.checkpoint));
    onProgress({
      collections: new Map(reports),
      indexed: index.takeWritten(),
      position: places.sort(compare)[0] ?? START,
      caughtUp,
      behind: behind(),
    });
  };

  const sleep = async (): Promise<void> => {
    if (!hasWoken()) await untilWoken();
    await gather();
    sliceStartedMs = scheduler.elapsedMs();
  };

  const untilWoken = async (): Promise<void> => {
    const waking = new Promise<void>((resolve) => (wakeUp = resolve));
    if (index.waiting) {
      await Promise.race([waking, scheduler.sleep(IDLE_MS)]);
      if (!hasWoken()) await writeIndex();
    }
    if (!hasWoken()) await waking;
  };

  const gather = async (): Promise<void> => {
    if (gatherMs === 0 || urged || isStopping()) return;
    const hurry = new Promise<void>((resolve) => (hurryUp = resolve));
    const ms = Math.max(gatherMs, Math.min(roundMs, GATHER_MAX_MS));
    await Promise.race([hurry, scheduler.sleep(ms)]);
  };

  const hasWoken = (): boolean => woken || isStopping();

  const writeIndex = async (): Promise<void> => {
    if (indexing === undefined || indexing.fault !== undefined) return;
    try {
      await retry(() => index.write());
      report();
    } catch (error) {
      stopAt(indexing, undefined, error);
    }
  };

  const breathe = async (): Promise<void> => {
    if (scheduler.elapsedMs() - sliceStartedMs < sliceMs) return;
    await scheduler.yield();
    sliceStartedMs = scheduler.elapsedMs();
  };

  const urge = (): void => {
    urged = true;
    hurryUp();
    wake();
  };

  const wake = (): void => {
    woken = true;
    wakeUp();
  };

  /** Checks only events of the past: new ones were written a moment ago by a process that verified them. */
  const damageOf = ({ stored, position }: LoggedEvent): Error | undefined =>
    position <= past && !isIntact(stored) ? damaged(stored) : undefined;

  const applying: Applying = { writer, retry, breathe, stopAt, damageOf };

  return {
    run() {
      running ??= run().catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
      return running;
    },
    wake,
    urge,
    async stop() {
      stopping.abort(new Stopped());
      urge();
      await running?.catch(() => {}); // The caller of `run` gets the error.
    },
  };
}

const BACKOFF = { firstMs: 50, maxMs: 1000 };
const BATCH_EVENTS = 500;
const SHARED_SLICE_MS = 5;
const GATHER_MAX_MS = 100;
/** The interval at which consumers that are behind look up the end of the log. */
const END_EVERY_MS = 1000;
/** The time without events after which deferred writes are done. */
const IDLE_MS = 20;

const compare = (a: Position, b: Position): number => (a < b ? -1 : a > b ? 1 : 0);

const withoutSpans: NonNullable<ProjectorOptions['during']> = (_events, work) => work();
