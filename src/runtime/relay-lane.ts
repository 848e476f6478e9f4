import { formatInstant, parseInstant, type Instant } from '#src/kernel/instant.ts';
import type { DeadLetter } from '#src/kernel/dead-letter.ts';
import type { Checkpoint } from '#src/ports/checkpoint-store.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Position } from '#src/ports/event-store.ts';
import { PublishFailed, type ErrorClass, type Publisher } from '#src/ports/publisher.ts';
import { backoffMs, sleep, type Retry } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { deadRecord, withoutPayload } from './dead-letter.ts';
import {
  createLoader,
  type LaneLoad,
  type LoadLimits,
  type PendingRecord,
  type RelayTopic,
} from './lane-load.ts';
import type { LogWindow } from './log-window.ts';
import type { LaneReport } from './relay-report.ts';

export type LaneOptions = Readonly<{
  topic: RelayTopic;
  from: Checkpoint;
  window: LogWindow;
  publisher: Publisher;
  breaker: CircuitBreaker;
  scheduler: Scheduler;
  clock: Clock;
  retry: Retry;
  stop: AbortSignal;
  limits: LoadLimits;
  breathe: () => Promise<void>;
  /** Returns the end of the log as it was last seen. */
  end: () => Position;
  /** The first part of the names of dead-letter headers. */
  platform: string;
  producerId: string;
  /** Called when everything up to a new checkpoint is acknowledged or dead. */
  onMoved: (checkpoint: Checkpoint, published: boolean) => void;
  /** Records a dead letter; durable when it resolves. Errors: Unavailable. */
  onDead: (tenantId: string, letter: DeadLetter) => Promise<void>;
}>;

export type RelayLane = Readonly<{
  /** Publishes until stopped. Errors: Stopped, and defects. */
  run(): Promise<never>;
  report(): LaneReport;
}>;

/**
 * Publishes one topic. One load is published while the next one is read; loads go out one after the other, so that a
 * failure holds back only its own topic, and all of that.
 */
export function createLane(options: LaneOptions): RelayLane {
  const { topic, window, publisher, breaker, scheduler, clock, retry, stop } = options;
  const reader = window.join();
  let checkpoint = options.from;
  let oldest: PendingRecord | undefined;
  let published = 0;
  let attempts = 0;
  let dead = 0;
  let successes = 0;
  let publishMs = 0;
  let stopped = false;
  const failures: Partial<Record<ErrorClass, number>> = {};
  /** The failures since the last success. */
  let outage: Outage | undefined;

  const moved = (to: Checkpoint, records: number): void => {
    checkpoint = to;
    published += records;
    options.onMoved(to, records > 0);
  };

  const run = async (): Promise<never> => {
    const { from, limits, breathe } = options;
    const load = createLoader(topic, from, reader, limits, breathe);
    let next = load();
    for (;;) {
      const now: LaneLoad = await next;
      next = load();
      next.catch(() => {}); // The next round awaits it.
      await deliver(now.pieces);
      now.release();
      if (now.end !== checkpoint) moved(now.end, 0);
    }
  };

  const deliver = async (pieces: readonly PendingRecord[]): Promise<void> => {
    let rest = pieces;
    while (rest[0] !== undefined) {
      oldest = rest[0];
      const { fault } = oldest.draft;
      if (fault !== undefined) {
        await bury(oldest, new PublishFailed('serialization_error', fault));
        rest = rest.slice(1);
      } else {
        const sound = rest.findIndex(({ draft }) => draft.fault !== undefined);
        rest = rest.slice(await attempt(sound < 0 ? rest : rest.slice(0, sound)));
      }
    }
    oldest = undefined;
  };

  /** Returns how many records, counted from the first one, are finished. */
  const attempt = async (pieces: readonly PendingRecord[]): Promise<number> => {
    const records = pieces.map(({ draft }) => draft);
    const failure = await call(() => publisher.publish(topic.name, records));
    const done = failure?.acknowledged ?? pieces.length;
    const last = pieces[done - 1];
    if (last !== undefined) moved(last.after, done);
    if (failure === undefined) {
      outage = undefined;
      return done;
    }
    const victim = pieces[done];
    if (done > 0) outage = undefined;
    const lasting = failed(failure);
    if (victim !== undefined && isDeadly(failure.errorClass, lasting)) {
      await bury(victim, failure);
      return done + 1;
    }
    await backOff(lasting.failures);
    return done;
  };

  /** Calls the target, once the circuit breaker permits it. Returns the failure, if any. */
  const call = async (work: () => Promise<void>): Promise<PublishFailed | undefined> => {
    for (let waitMs = breaker.waitMs(); waitMs > 0; waitMs = breaker.waitMs()) {
      await sleep(waitMs, scheduler, stop);
    }
    if (stop.aborted) breaker.neither();
    stop.throwIfAborted();
    attempts += 1;
    const startedMs = scheduler.elapsedMs();
    try {
      await work();
      breaker.succeeded();
      successes += 1;
      publishMs += scheduler.elapsedMs() - startedMs;
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (OF_THE_TARGET.has(failure.errorClass)) breaker.failed();
      else breaker.neither();
      failures[failure.errorClass] = (failures[failure.errorClass] ?? 0) + 1;
      return failure;
    }
  };

  const backOff = (times: number): Promise<void> =>
    sleep(backoffMs(BACKOFF, times, scheduler.random()), scheduler, stop);

  const failed = (failure: PublishFailed): Outage => {
    reader.rest();
    outage = {
      sinceMs: outage?.sinceMs ?? scheduler.elapsedMs(),
      since: outage?.since ?? formatInstant(clock.now()),
      failures: (outage?.failures ?? 0) + 1,
      failure,
    };
    return outage;
  };

  const isDeadly = (errorClass: ErrorClass, { sinceMs }: Outage): boolean =>
    errorClass === 'serialization_error' ||
    (DEADLY_IN_TIME.has(errorClass) && scheduler.elapsedMs() - sinceMs >= DEADLY_MS);

  /** Publishes the record to the dead-letter topic, if there is one, and records it in the relay's journal. */
  const bury = async (piece: PendingRecord, failure: PublishFailed): Promise<void> => {
    const { platform, producerId } = options;
    const firstFailureAt = outage?.since ?? formatInstant(clock.now());
    const retries = Math.max(0, (outage?.failures ?? 1) - 1);
    const death = { topic: topic.name, failure, retries, firstFailureAt, platform, producerId };
    const record = deadRecord(piece.draft, death);
    for (let tries = 1, left = record; topic.hasDeadLetters !== false; tries += 1) {
      const setback = await call(() => publisher.bury(topic.name, left));
      if (setback === undefined) break;
      if (setback.errorClass === 'serialization_error') {
        if (left !== record) break; // Not even its headers can be published; only the journal has it.
        left = withoutPayload(record, platform);
      } else {
        await backOff(tries);
      }
    }
    const { stream, revision, id, tenantId } = piece.event;
    await retry(() =>
      options.onDead(tenantId, {
        topic: topic.name,
        ceId: piece.draft.headers['ce-id'] ?? '',
        event: { journal: stream, revision, id },
        errorClass: failure.errorClass,
        message: failure.message,
        firstFailureAt,
      }),
    );
    dead += 1;
    moved(piece.after, 0);
  };

  return {
    async run() {
      try {
        return await run();
      } finally {
        stopped = true;
      }
    },

    report: () => ({
      topic: topic.name,
      checkpoint,
      eventsBehind: window.behind(checkpoint.position, options.end()),
      oldestUnpublishedMs:
        oldest === undefined
          ? 0
          : Math.max(0, clock.now() - parseInstant(oldest.event.recordedAt)) / 1000,
      published,
      attempts,
      failures: { ...failures },
      dead,
      publishMs,
      successes,
      trouble: outage && {
        errorClass: outage.failure.errorClass,
        message: outage.failure.message,
        sinceMs: scheduler.elapsedMs() - outage.sinceMs,
      },
      stopped,
    }),
  };
}

type Outage = Readonly<{
  sinceMs: number;
  /** The time of the first failure by the wall clock. */
  since: Instant;
  failures: number;
  failure: PublishFailed;
}>;

/** Errors that the publisher does not classify are retried too: a defect must not lose a record. */
export const failureOf = (error: unknown): PublishFailed =>
  error instanceof PublishFailed
    ? error
    : new PublishFailed('broker_unavailable', String(error), { cause: error });

/** Classes of failures of the target. The others concern a record or a topic, and show that the target responds. */
const OF_THE_TARGET: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'auth_error',
  'broker_unavailable',
  'network_timeout',
  'broker_overloaded',
]);

/** Milliseconds, from contract events §9.3. */
const BACKOFF = { firstMs: 100, maxMs: 30_000 };
/** Classes that make a record a dead letter after some time (contract events §9.4). */
const DEADLY_IN_TIME: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'auth_error',
  'topic_not_found',
]);
const DEADLY_MS = 24 * 3_600_000;
