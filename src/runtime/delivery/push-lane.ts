import type { DeliveryAttempt } from '#src/kernel/delivery.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Backlog, Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import type { DeliveryOutcome, DeliveryTarget } from '#src/ports/delivery-target.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { backoffMs, sleep, type Retry } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { BookedSubscription, SubscriptionBook } from './book.ts';
import { pauseMs } from './ladder.ts';
import { createPace } from './pace.ts';
import type { DeliveryPlanner } from './planner.ts';
import { createSignal } from './signal.ts';
import type { Slots } from './slots.ts';
import type { DeliverySource } from './source.ts';
import { dead, delivered, failed, failure, unsendable } from './transitions.ts';

/** Delivers to the target of one subscription. */
export type PushLane = Readonly<{
  /** Delivers until stopped or the subscription is removed; attempts in flight have ended when it resolves. */
  run(): Promise<void>;
  /** Reports that there may be something to do. */
  wake(): void;
  /** Reports that deliveries became due in another way than by the lane itself. */
  due(): void;
  backlog(): Backlog;
}>;

export type PushLaneOptions = Readonly<{
  id: Uuid;
  book: SubscriptionBook;
  store: DeliveryStore;
  source: DeliverySource;
  planner: DeliveryPlanner;
  target: DeliveryTarget;
  scheduler: Scheduler;
  clock: Clock;
  slots: Slots;
  retry: Retry;
  /** Ends the lane; attempts in flight go on until `abort`. */
  stop: AbortSignal;
  abort: AbortSignal;
  /** Disables the subscription, once. Errors: Unavailable. */
  disable: (booked: BookedSubscription, reason: DisableReason) => Promise<void>;
  onOutcome: (outcome: DeliveryOutcome['is']) => void;
  onTrouble: (message: string) => void;
  /** The longest time after which the store is asked for what other processes made due. */
  pollMs: number;
}>;

export type DisableReason = 'gone' | 'no success for 5 days';

export function createPushLane(options: PushLaneOptions): PushLane {
  const { id, book, store, source, planner, target, scheduler, clock, slots, retry } = options;
  const { stop, abort, pollMs } = options;
  const signal = createSignal(scheduler);
  const pace = createPace(() => scheduler.elapsedMs());
  const inFlight = new Map<Uuid, Promise<void>>();
  let ready: readonly Delivery[] = [];
  /** More deliveries may be due than those in `ready`. */
  let mayHaveMore = true;
  let atEnd = false;
  let nextDueAt = Infinity;
  /** The times at which attempts that failed here are due again. */
  let laterDueAts: number[] = [];
  let polledMs = -Infinity;
  let backlog: Backlog = { pending: 0, retrying: 0, dead: 0 };
  /** Counts what was planned and finished since the backlog was read. */
  let growth = 0;
  let failingSince: Micros | undefined;
  let marked = Promise.resolve();
  let isFailing = false;
  let disabling: Promise<void> | undefined;
  let isOrdered = false;

  const run = async (): Promise<void> => {
    const progress = await retry(() => store.progress(id));
    failingSince = progress?.failingSince;
    let reported: string | undefined;
    for (let faults = 0; ;) {
      const booked = book.get(id);
      if (stop.aborted || booked === undefined || isPulled(booked)) break;
      try {
        const waitMs = await step(booked);
        faults = 0;
        reported = undefined;
        if (waitMs > 0) await signal.wait(waitMs);
        else await scheduler.yield();
      } catch (error) {
        const trouble = error instanceof Unavailable ? undefined : String(error);
        if (trouble !== undefined && trouble !== reported) {
          options.onTrouble(`${name(booked)}: ${trouble}`);
        }
        reported = trouble;
        faults += 1;
        await signal.wait(backoffMs(BACKOFF, faults, scheduler.random()));
      }
    }
    await Promise.all(inFlight.values());
  };

  /** Does what can be done now. Returns the milliseconds until there may be more to do. */
  const step = async (booked: BookedSubscription): Promise<number> => {
    const { status } = booked.subscription;
    if (status !== 'active' || disabling !== undefined) {
      ready = [];
      mayHaveMore = true;
      atEnd = false;
      return pollMs;
    }
    await poll();
    const fault = await plan(booked).catch((error: unknown) => ({ error }));
    await fetch(booked);
    const waitMs = send(booked);
    if (fault !== undefined) throw fault.error as Error; // It does not hold back what is planned.
    return waitMs;
  };

  const poll = async (): Promise<void> => {
    const nowMs = scheduler.elapsedMs();
    if (nowMs - polledMs < pollMs) return;
    backlog = await store.backlog(id);
    polledMs = nowMs;
    growth = 0;
    nextDueAt = backlog.dueAt ?? Infinity;
    if (nextDueAt <= clock.now()) mayHaveMore = true;
  };

  const plan = async (booked: BookedSubscription): Promise<void> => {
    if (isHeldBack()) return;
    const progress = await planner.advance(booked);
    atEnd = progress.atEnd;
    growth += progress.planned;
    if (progress.planned > 0) mayHaveMore = true;
  };

  /** Enough is planned for now. */
  const isHeldBack = (): boolean =>
    backlog.pending + backlog.retrying + growth >= UNFINISHED_MAX ||
    backlog.pending + growth >= PENDING_MAX ||
    ready.length >= READY_MAX;

  /** Reads due deliveries once those in memory do not fill the concurrency. */
  const fetch = async ({ subscription }: BookedSubscription): Promise<void> => {
    const ordered = subscription.ordering === 'key';
    if (ordered && !isOrdered) ready = []; // Those of one key may be among them.
    if (nextDueAt <= clock.now() || ordered !== isOrdered) mayHaveMore = true;
    isOrdered = ordered;
    if (!mayHaveMore || ready.length >= CONCURRENCY) return;
    const now = clock.now();
    const known = new Set([...inFlight.keys(), ...ready.map((delivery) => delivery.id)]);
    const limit = READY_MAX + known.size;
    mayHaveMore = false; // Set again by whatever ends while the store is read.
    if (nextDueAt <= now) {
      laterDueAts = laterDueAts.filter((dueAt) => dueAt > now);
      nextDueAt = laterDueAts.reduce((least, dueAt) => Math.min(least, dueAt), Infinity);
    }
    const due = await store.due(id, { now, limit, ordered });
    const fresh = due.filter((delivery) => !known.has(delivery.id) && !inFlight.has(delivery.id));
    ready = [...ready, ...fresh];
    if (due.length >= limit) mayHaveMore = true;
  };

  const send = ({ subscription }: BookedSubscription): number => {
    const { rateLimit } = subscription;
    const concurrency = isFailing ? 1 : CONCURRENCY;
    let started = 0;
    let paceMs = 0;
    for (const delivery of ready) {
      if (inFlight.size >= concurrency) break;
      paceMs = pace.waitMs();
      if (paceMs > 0) break;
      pace.sent(rateLimit);
      started += 1;
      inFlight.set(
        delivery.id,
        attempt(delivery).finally(() => {
          inFlight.delete(delivery.id);
          signal.notify();
        }),
      );
    }
    ready = ready.slice(started);
    if (paceMs > 0) return Math.max(1, paceMs);
    const isFull = inFlight.size >= concurrency;
    if (!isFull && (mayHaveMore || ready.length > 0)) return 0;
    if (!atEnd && !isFull && !isHeldBack()) return 0;
    const dueMs = Math.max(0, nextDueAt - clock.now()) / 1000;
    return Math.max(1, Math.min(pollMs, isFull ? pollMs : dueMs));
  };

  /** Makes one attempt and records its outcome; without a record, the attempt is made again after a pause. */
  const attempt = async (delivery: Delivery): Promise<void> => {
    try {
      const release = await slots.take(stop);
      try {
        await deliver(delivery);
      } finally {
        release();
      }
    } catch (error) {
      if (stop.aborted) return;
      options.onTrouble(`Delivery ${delivery.id}: ${String(error)}`);
      await sleep(BACKOFF.maxMs, scheduler, stop).catch(() => {});
      mayHaveMore = true;
    }
  };

  const deliver = async (delivery: Delivery): Promise<void> => {
    const record = await retry(() => recordOf(delivery, source)).catch(ifDamaged);
    const booked = book.get(id);
    if (booked?.subscription.status !== 'active' || disabling !== undefined || isPulled(booked)) {
      mayHaveMore = true;
      return;
    }
    if (record === undefined) return settle(unsendable(delivery, clock.now()));
    if (record instanceof Damaged) {
      options.onTrouble(`Delivery ${delivery.id}: ${String(record)}`);
      const at = clock.now();
      const pause = pauseMs(delivery.tries + 1, scheduler.random());
      return settle(failed(delivery, failure('serialization_error', at), at, pause));
    }
    const { subscription } = booked;
    const at = clock.now();
    const startedMs = scheduler.elapsedMs();
    const message = { record, subscription, attempt: delivery.tries + 1, at };
    const outcome = await sendTo(target, message, abort);
    const attempt = attemptOf(outcome, at, scheduler.elapsedMs() - startedMs);
    const now = clock.now();
    options.onOutcome(outcome.is);
    switch (outcome.is) {
      case 'delivered':
        isFailing = false;
        if (failingSince !== undefined) await mark(undefined);
        return settle(delivered(delivery, attempt, now));
      case 'gone':
        isFailing = true;
        // A crash in between repeats the attempt, and not the other way round: nothing would disable it.
        await disable(booked, 'gone');
        return settle(dead(delivery, attempt, now));
      case 'failed': {
        isFailing = true;
        const pause = pauseMs(delivery.tries + 1, scheduler.random(), outcome.retryAfterMs);
        if (failingSince === undefined) await mark(at);
        await settle(failed(delivery, attempt, now, pause));
        const since = Math.max(failingSince ?? now, parseInstant(subscription.updatedAt));
        if (now - since >= DISABLED_AFTER_MICROS) await disable(booked, 'no success for 5 days');
      }
    }
  };

  const settle = async (next: Delivery): Promise<void> => {
    await retry(() => store.replace([next]));
    if (next.dueAt === undefined) growth -= 1;
    else {
      laterDueAts.push(next.dueAt);
      nextDueAt = Math.min(nextDueAt, next.dueAt);
    }
    // The outcome may let the next message of its key go.
    if (book.get(id)?.subscription.ordering === 'key') mayHaveMore = true;
  };

  /** Marks one after the other, so that the last one stays. */
  const mark = (since: Micros | undefined): Promise<void> => {
    failingSince = since;
    marked = marked.catch(() => {}).then(() => retry(() => store.markFailing(id, failingSince)));
    return marked;
  };

  const disable = (booked: BookedSubscription, reason: DisableReason): Promise<void> => {
    disabling ??= retry(() => options.disable(booked, reason))
      .then(() => retry(() => book.refresh()))
      .finally(() => (disabling = undefined)); // From now on, the status counts.
    return disabling;
  };

  return {
    run,
    wake() {
      atEnd = false;
      signal.notify();
    },
    due() {
      mayHaveMore = true;
      signal.notify();
    },
    backlog: () => ({ ...backlog, pending: Math.max(0, backlog.pending + growth) }),
  };
}

/** Returns the record of a delivery; undefined if the log does not yield it any more. */
export async function recordOf(
  { message, position, eventId }: Delivery,
  source: DeliverySource,
): Promise<OutgoingRecord | undefined> {
  return message ?? source.record(position, eventId);
}

async function sendTo(
  target: DeliveryTarget,
  message: Parameters<DeliveryTarget['send']>[0],
  abort: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    return await target.send(message, abort);
  } catch (error) {
    abort.throwIfAborted();
    // A defect of a target must not lose a record.
    return { is: 'failed', errorClass: 'connection_error', body: String(error).slice(0, 1024) };
  }
}

function attemptOf(outcome: DeliveryOutcome, at: Micros, durationMs: number): DeliveryAttempt {
  return {
    at: formatInstant(at),
    durationMs: Math.round(durationMs),
    ...(outcome.statusCode !== undefined && { statusCode: outcome.statusCode }),
    ...(outcome.is === 'failed' && { errorClass: outcome.errorClass }),
    ...(outcome.is === 'failed' && outcome.body !== undefined && { body: outcome.body }),
  };
}

export function ifDamaged(error: unknown): Damaged {
  if (error instanceof Damaged) return error;
  throw error;
}

const isPulled = ({ subscription }: BookedSubscription): boolean =>
  subscription.target.kind === 'pull';

const name = ({ subscription }: BookedSubscription): string => `Subscription ${subscription.id}`;

/** The attempts in flight to one target. While the last one failed, there is only one. */
const CONCURRENCY = 8;
const READY_MAX = 64;
/** Above these, a subscription plans nothing: the rest waits in the log. */
const PENDING_MAX = 10_000;
const UNFINISHED_MAX = 100_000;
const DISABLED_AFTER_MICROS = 5 * 24 * 3600 * 1_000_000;
const BACKOFF = { firstMs: 50, maxMs: 5000 };
