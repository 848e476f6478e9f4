import { isIntact } from '#src/kernel/event-hash.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { Fenced, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import { damaged } from '#src/ports/intact.ts';
import { DEVIATION_MAX } from '#src/ports/position-at.ts';
import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import { backoffMs, createRetry, sleep, Stopped } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { RelayTopic } from '#src/runtime/lane-load.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { failureOf } from '#src/runtime/relay-lane.ts';
import type { RelayFault } from '#src/runtime/relay-report.ts';
import { timeSlices } from '#src/runtime/time-slices.ts';
import type { PendingReplay, ReplayBook } from './replay-book.ts';

/** A topic and the key of its events. */
export type ReplayTopic = RelayTopic & Readonly<{ key: string }>;

export type ReplayerOptions = Readonly<{
  book: ReplayBook;
  log: Pick<EventStore, 'readAll' | 'positionAt'>;
  /** Each replay has its own checkpoint here until it is completed. */
  checkpoints: Pick<CheckpointStore, 'load' | 'save' | 'remove'>;
  /** Not the one of the live lanes, whose records could otherwise wait for those of a replay. */
  publisher: Publisher;
  topics: readonly ReplayTopic[];
  scheduler: Scheduler;
  fence: number;
  /** Returns whether live records wait; replays then take a smaller share. */
  isBusy: () => boolean;
  /** Returns the position up to which the live lane of a topic has published; a replay does not overtake it. */
  publishedTo: (topic: string) => Position;
  /** Records that a replay is completed; durable when it resolves. Errors: Unavailable. */
  complete: (tenantId: string, id: Uuid) => Promise<void>;
  onFault: (fault: RelayFault) => void;
  /** The maximum number of records in hand. */
  recordsMax: number;
}>;

export type Replayer = Readonly<{
  /** Publishes until stopped. Errors: Fenced when another process has the lease. */
  run(): Promise<void>;
  /** Resolves when nothing is begun any more; a batch in flight is published again at the next start. */
  stop(): Promise<void>;
  /** Returns the number of replays that are not completed. */
  pending(): number;
}>;

/**
 * Publishes the events of replays again, one replay after the other, each in the order of the log. The checkpoint of a
 * replay is saved after every batch, so that it goes on there after a crash, and deleted once the journal has its
 * completion. The checkpoints of topics do not move, and no record is published before the live lane of its topic has
 * published it.
 */
export function createReplayer(options: ReplayerOptions): Replayer {
  const { book, log, checkpoints, publisher, topics, scheduler, fence, onFault } = options;
  const stopping = new AbortController();
  const stop = stopping.signal;
  const retry = createRetry({ scheduler, backoff: BACKOFF, stop });
  const recordsMax = Math.max(1, Math.min(BATCH_RECORDS_MAX, options.recordsMax));
  let running: Promise<void> | undefined;
  const breathe = timeSlices(scheduler, SLICE_MS);

  const run = async (): Promise<void> => {
    for (let [faults, isTidy] = [0, false]; ;) {
      stop.throwIfAborted();
      try {
        if (isTidy) await retry(() => book.refresh());
        else await tidyUp();
        isTidy = true;
        const [first] = book.pending();
        if (first === undefined) {
          await sleep(POLL_MS, scheduler, stop);
        } else {
          isTidy = false;
          await replay(first);
          await retry(() => options.complete(first.tenantId, first.replay.id));
        }
        faults = 0;
      } catch (error) {
        if (error instanceof Stopped || error instanceof Fenced) throw error;
        faults += 1;
        if (faults === 1)
          onFault({ topic: '', message: `A replay cannot go on: ${String(error)}` });
        await sleep(backoffMs(BACKOFF, faults, scheduler.random()), scheduler, stop);
      }
    }
  };

  /**
   * Deletes the checkpoints of completed replays. Those are loaded before the journals are read, which therefore have
   * the request of each: a checkpoint without a pending replay is of no further use.
   */
  const tidyUp = async (): Promise<void> => {
    const lanes = [...(await retry(() => checkpoints.load())).keys()];
    await retry(() => book.refresh());
    const pending = new Set(book.pending().map(({ replay: { id } }) => laneOf(id)));
    for (const lane of lanes.filter((name) => isReplay(name) && !pending.has(name))) {
      await retry(() => checkpoints.remove(lane, fence));
    }
  };

  const replay = async ({ tenantId, replay: asked, requestedAt }: PendingReplay): Promise<void> => {
    const { id, from, to } = asked;
    const lane = laneOf(id);
    const chosen = topics.filter(({ key }) => asked.keys?.includes(key) ?? true);
    const latest = formatInstant((parseInstant(to) + DEVIATION_MAX) as Micros);
    const saved = (await retry(() => checkpoints.load())).get(lane);
    let at = saved?.position ?? (await retry(() => log.positionAt(parseInstant(from))));
    let batch = newBatch();
    let [savedMs, resumedMs] = [scheduler.elapsedMs(), scheduler.elapsedMs()];

    const flush = async (): Promise<void> => {
      for (const [topic, records] of batch.byTopic) {
        await untilPublished(topic, at);
        await publish(topic, records);
      }
      if (batch.records > 0 || scheduler.elapsedMs() - savedMs >= SAVE_EVERY_MS) {
        await retry(() => checkpoints.save(lane, { position: at, done: 0 }, fence));
        savedMs = scheduler.elapsedMs();
      }
      batch = newBatch();
      await giveWay(scheduler.elapsedMs() - resumedMs);
      resumedMs = scheduler.elapsedMs();
    };

    for (let isOver = false; !isOver;) {
      const events = await retry(() => log.readAll(at, PAGE_EVENTS));
      isOver = events.length === 0;
      for (const stored of events) {
        if (!isIntact(stored)) {
          await flush();
          throw damaged(stored);
        }
        const event = new LoggedEvent(stored);
        isOver = stored.position > requestedAt || event.recordedAt > latest;
        if (isOver) break;
        const isInWindow = event.recordedAt >= from && event.recordedAt <= to;
        for (const { name, types, drafts } of isInWindow && event.tenantId === tenantId
          ? chosen
          : []) {
          if (!types.has(event.type)) continue;
          // What cannot be published is a dead letter since its first delivery.
          const records = drafts(event).filter(({ fault }) => fault === undefined);
          add(
            batch,
            name,
            records.filter((record) => isAbout(asked.subjects, record)),
          );
        }
        at = stored.position;
        if (batch.records >= recordsMax || batch.chars >= BATCH_CHARS_MAX) await flush();
        await breathe();
        stop.throwIfAborted();
      }
      await flush();
    }
  };

  /**
   * Waits for the live lane of a topic, which may be held back: the first delivery of a record must not come before that
   * of an earlier one with its key.
   */
  const untilPublished = async (topic: string, position: Position): Promise<void> => {
    const sinceMs = scheduler.elapsedMs();
    for (let isReported = false; options.publishedTo(topic) < position;) {
      if (!isReported && scheduler.elapsedMs() - sinceMs >= REPORT_AFTER_MS) {
        onFault({
          topic,
          message: 'A replay waits until its events were published the first time',
        });
        isReported = true;
      }
      await sleep(LIVE_POLL_MS, scheduler, stop);
    }
  };

  /** Publishes records of one topic, however long the broker is away. */
  const publish = async (topic: string, records: readonly OutgoingRecord[]): Promise<void> => {
    for (let left = records, failures = 0; left.length > 0;) {
      const some = left.slice(0, recordsMax);
      const failure = await abandonable(publisher.publish(topic, some)).then(
        () => undefined,
        failureOf,
      );
      stop.throwIfAborted();
      const done = failure?.acknowledged ?? some.length;
      left = left.slice(done);
      if (done > 0) failures = 0;
      if (failure?.errorClass === 'serialization_error') {
        onFault({ topic, message: `A replay leaves out a record: ${failure.message}` });
        left = left.slice(1);
      } else if (failure !== undefined) {
        failures += 1;
        if (failures === 1)
          onFault({ topic, message: `A replay is held back: ${failure.message}` });
        await sleep(backoffMs(PUBLISH_BACKOFF, failures, scheduler.random()), scheduler, stop);
      }
    }
  };

  /** Settles as the work does, or when this is stopped: records in flight are published again. */
  const abandonable = async (work: Promise<void>): Promise<void> => {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const abandon = (): void => {
      reject(stop.reason);
    };
    stop.addEventListener('abort', abandon);
    try {
      await Promise.race([work, stopped]);
    } finally {
      stop.removeEventListener('abort', abandon);
    }
  };

  /** Leaves the broker and this thread to live records for a multiple of the time that it worked. */
  const giveWay = async (workedMs: number): Promise<void> => {
    const share = options.isBusy() ? BUSY_PAUSES : IDLE_PAUSES;
    await sleep(Math.min(PAUSE_MS_MAX, Math.max(1, workedMs) * share), scheduler, stop);
  };

  return {
    run() {
      running ??= run().catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
      return running;
    },
    async stop() {
      stopping.abort(new Stopped());
      await running?.catch(() => {}); // The caller of `run` gets the error.
    },
    pending: () => book.pending().length,
  };
}

const LANE = 'replay-';
const laneOf = (id: Uuid): string => `${LANE}${id}`;
/** The names of topics may begin with the same word. */
const isReplay = (lane: string): boolean =>
  lane.startsWith(LANE) && parseUuid(lane.slice(LANE.length)) !== undefined;

/** The records of several events, by topic. */
type ReplayBatch = {
  readonly byTopic: Map<string, OutgoingRecord[]>;
  records: number;
  chars: number;
};

const newBatch = (): ReplayBatch => ({ byTopic: new Map(), records: 0, chars: 0 });

function add(batch: ReplayBatch, topic: string, records: readonly OutgoingRecord[]): void {
  if (records.length === 0) return;
  batch.byTopic.set(topic, [...(batch.byTopic.get(topic) ?? []), ...records]);
  batch.records += records.length;
  for (const { value } of records) batch.chars += value.length;
}

const isAbout = (subjects: readonly string[] | undefined, { headers }: OutgoingRecord): boolean =>
  subjects?.includes(headers['ce-subject'] ?? '') ?? true;

const BACKOFF = { firstMs: 50, maxMs: 5000 };
const PUBLISH_BACKOFF = { firstMs: 100, maxMs: 30_000 };
const POLL_MS = 1000;
const SAVE_EVERY_MS = 1000;
const LIVE_POLL_MS = 50;
const REPORT_AFTER_MS = 10_000;
const PAGE_EVENTS = 200;
const BATCH_RECORDS_MAX = 100;
const BATCH_CHARS_MAX = 1024 * 1024;
const SLICE_MS = 5;
/** A replay works half of the time; while live records wait, a tenth of it. */
const IDLE_PAUSES = 1;
const BUSY_PAUSES = 9;
const PAUSE_MS_MAX = 1000;
