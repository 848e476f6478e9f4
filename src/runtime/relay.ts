import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { Clock } from '#src/ports/clock.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import type { Publisher } from '#src/ports/publisher.ts';
import { createRetry, sleep, Stopped } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { createCheckpointKeeper } from './checkpoint-keeper.ts';
import { createCircuitBreaker, type BreakerSettings } from './circuit-breaker.ts';
import type { Measure } from './catch-up.ts';
import type { RelayTopic } from './lane-load.ts';
import { createLogWindow } from './log-window.ts';
import { createLane, type RelayLane, type LaneOptions } from './relay-lane.ts';
import { createRecordBudget } from './record-budget.ts';
import type { RelayFault, RelayReport } from './relay-report.ts';
import { timeSlices } from './time-slices.ts';

export type RelayOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'subscribe' | 'end'>;
  checkpoints: CheckpointStore;
  publisher: Publisher;
  topics: readonly RelayTopic[];
  scheduler: Scheduler;
  clock: Clock;
  /** The fencing token of the lease under which this relay works. */
  fence: number;
  settings: RelaySettings;
  /** By default, positions count events, as in a data folder. */
  measure?: Measure;
  onReport: (report: RelayReport) => void;
  onFault: (fault: RelayFault) => void;
  /** Records a dead letter once per ce-id; durable when it resolves. Errors: Unavailable. */
  onDead: LaneOptions['onDead'];
}>;

export type RelaySettings = Readonly<{
  /** The start of topics that were never relayed: after the current end of the log, or its first event. */
  startAt: 'now' | 'beginning';
  /** The number of events that a topic reads at once. */
  batchEvents: number;
  /** The maximum number of records of all topics together that are neither acknowledged nor dead. */
  bufferedRecordsMax: number;
  breaker: BreakerSettings;
  /** The time that records in flight have to be acknowledged when the relay stops. */
  closeTimeoutMs: number;
  platform: string;
  producerId: string;
}>;

export type Relay = Readonly<{
  /** Publishes until stopped. Errors: Fenced when another process has the lease; those of the checkpoint store. */
  run(): Promise<void>;
  /** Reports that there may be more in the log. */
  wake(): void;
  /** Reads nothing new, waits for records in flight and saves the checkpoints; resolves when nothing runs any more. */
  stop(): Promise<void>;
  report(): RelayReport;
  /** Returns the position up to which all records of a topic are acknowledged or dead; START until it is known. */
  publishedTo(topic: string): Position;
}>;

/**
 * Publishes what the log yields, at least once, in the order of the log for each record key. Every topic has a lane
 * with its own checkpoint; a lane that cannot go on holds back no other.
 */
export function createRelay(options: RelayOptions): Relay {
  const { log, checkpoints, publisher, topics, scheduler, clock, fence, settings } = options;
  const stopping = new AbortController();
  const stop = stopping.signal;
  const retry = createRetry({ scheduler, backoff: BACKOFF, stop });
  const end = (): void => {
    stopping.abort(new Stopped());
  };
  const breaker = createCircuitBreaker(settings.breaker, () => scheduler.elapsedMs());
  const keeper = createCheckpointKeeper(checkpoints, fence, scheduler);
  const window = createLogWindow({
    ...{ log, retry, scheduler, stop },
    pageEvents: settings.batchEvents,
    measure: options.measure ?? { at: Number, perEvent: 1 },
    onTrouble: (error) => {
      options.onFault({ topic: '', message: `The log cannot be followed: ${String(error)}` });
    },
  });
  let lanes: readonly RelayLane[] = [];
  let logEnd: Position = START;
  let running: Promise<void> | undefined;
  const breathe = timeSlices(scheduler, SLICE_MS);

  const run = async (): Promise<void> => {
    const from = await open();
    // Each lane has one load in flight and one that is read ahead.
    const loads = 2 * Math.max(1, topics.length);
    const budget = createRecordBudget(settings.bufferedRecordsMax, loads);
    const limits = { budget, bytes: LOAD_BYTES_MAX };
    lanes = topics.map((topic) =>
      createLane({
        ...{ topic, window, publisher, breaker, scheduler, clock, retry, stop },
        ...{ limits, breathe, platform: settings.platform, producerId: settings.producerId },
        from: from.get(topic.name) ?? BEGINNING,
        end: () => logEnd,
        onMoved: (checkpoint, published) => {
          keeper.moved(topic.name, checkpoint, published);
        },
        onDead: options.onDead,
      }),
    );
    const working = Promise.all(lanes.map((lane, n) => work(lane, topics[n]?.name ?? '')));
    try {
      await tend();
    } finally {
      end();
      await window.close();
      await within(settings.closeTimeoutMs, working);
    }
    await keeper.saveAll();
  };

  /** Returns where every topic begins; for a new topic, that is made durable before anything is published. */
  const open = async (): Promise<ReadonlyMap<string, Checkpoint>> => {
    const known = new Map(await retry(() => checkpoints.load()));
    await setBack(known);
    const fresh = topics.filter(({ name }) => !known.has(name));
    if (fresh.length === 0) return known;
    const position = settings.startAt === 'now' ? await retry(() => log.end()) : START;
    const begin = { position, done: 0 };
    for (const { name } of fresh) await retry(() => checkpoints.save(name, begin, fence));
    return new Map([...known, ...fresh.map(({ name }) => [name, begin] as const)]);
  };

  /**
   * Moves back a topic whose checkpoint is after the end of the log. It was published from a longer log, which an older
   * copy has replaced. Everything that is left was published; new events get positions that count as published, and
   * must not be skipped.
   */
  const setBack = async (known: Map<string, Checkpoint>): Promise<void> => {
    const end = await retry(() => log.end());
    logEnd = end;
    for (const { name: topic } of topics) {
      const at = known.get(topic)?.position ?? START;
      if (at <= end) continue;
      const checkpoint = { position: end, done: 0 };
      const message = `Its checkpoint (${at}) is ahead of the log (${end}), which is an older copy: it goes on from the end`;
      options.onFault({ topic, message });
      await retry(() => checkpoints.setBack(topic, checkpoint, fence));
      known.set(topic, checkpoint);
    }
  };

  const work = async (lane: RelayLane, topic: string): Promise<void> => {
    try {
      await lane.run();
    } catch (error) {
      if (error instanceof Stopped) return;
      options.onFault({ topic, message: `The lane stopped: ${described(error)}` });
    }
  };

  /** Saves checkpoints and reports while the lanes work. */
  const tend = async (): Promise<void> => {
    let reportedMs = -Infinity;
    while (!stop.aborted) {
      await keeper.saveDue();
      if (scheduler.elapsedMs() - reportedMs >= REPORT_EVERY_MS) {
        options.onReport(report());
        reportedMs = scheduler.elapsedMs();
        void look();
      }
      const quiet = sleep(REPORT_EVERY_MS, scheduler, stop).catch(() => {}); // Stopped: the loop checks that.
      await Promise.race([quiet, keeper.untilDue()]);
      await sleep(SAVE_EVERY_MS, scheduler, stop).catch(() => {});
    }
  };

  /** Looks for the end of the log, for the next report. */
  const look = async (): Promise<void> => {
    logEnd = await log.end().catch(() => logEnd);
  };

  const within = async (ms: number, working: Promise<unknown>): Promise<void> => {
    const state = { done: false };
    const settle = (): void => {
      state.done = true;
    };
    working.then(settle, settle);
    const untilMs = scheduler.elapsedMs() + ms;
    await scheduler.yield();
    while (!state.done && scheduler.elapsedMs() < untilMs) await scheduler.sleep(CLOSE_POLL_MS);
  };

  const report = (): RelayReport => ({
    lanes: lanes.map((lane) => lane.report()),
    circuitOpen: breaker.isOpen(),
  });

  return {
    run() {
      running ??= run().catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
      return running;
    },
    wake: () => {
      window.look();
    },
    async stop() {
      end();
      await running?.catch(() => {}); // The caller of `run` gets the error.
    },
    report,
    publishedTo(topic) {
      const lane = lanes[topics.findIndex(({ name }) => name === topic)];
      return lane?.report().checkpoint.position ?? START;
    },
  };
}

const described = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

const BEGINNING: Checkpoint = { position: START, done: 0 };
const BACKOFF = { firstMs: 50, maxMs: 1000 };
const LOAD_BYTES_MAX = 1024 * 1024;
const SAVE_EVERY_MS = 100;
const REPORT_EVERY_MS = 2000;
const CLOSE_POLL_MS = 10;
const SLICE_MS = 5;
