import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { DeliveryStore } from '#src/ports/delivery-store.ts';
import type { DeliveryOutcome, DeliveryTarget } from '#src/ports/delivery-target.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { createRetry, Stopped } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { SubscriptionBook } from './book.ts';
import type { DeliveryPlanner } from './planner.ts';
import { createPushLane, type PushLane, type PushLaneOptions } from './push-lane.ts';
import type { DeliveryReport } from './report.ts';
import { createSignal } from './signal.ts';
import { createSlots } from './slots.ts';
import type { DeliverySource } from './source.ts';

export type DispatcherOptions = Readonly<{
  book: SubscriptionBook;
  store: DeliveryStore;
  source: DeliverySource;
  planner: DeliveryPlanner;
  target: DeliveryTarget;
  scheduler: Scheduler;
  clock: Clock;
  disable: PushLaneOptions['disable'];
  onReport: (report: DeliveryReport) => void;
  onTrouble: (message: string) => void;
  /** The time that attempts in flight have to end when it stops. */
  closeTimeoutMs: number;
  pollMs?: number;
}>;

/** Delivers to the push targets of all subscriptions, and deletes what is not kept. */
export type Dispatcher = Readonly<{
  run(): Promise<void>;
  /** Reports that there may be something to do, for one subscription or all. */
  wake(id?: Uuid): void;
  /** Reports that deliveries of a subscription became due. */
  due(id: Uuid): void;
  /** Starts no attempt any more; resolves when nothing runs. */
  stop(): Promise<void>;
}>;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { book, store, source, planner, target, scheduler, clock, onTrouble } = options;
  const { pollMs = POLL_MS } = options;
  const stopping = new AbortController();
  const aborting = new AbortController();
  const signal = createSignal(scheduler);
  const slots = createSlots(CONCURRENCY);
  const retry = createRetry({ scheduler, backoff: BACKOFF, stop: aborting.signal });
  const lanes = new Map<Uuid, Readonly<{ lane: PushLane; ended: Promise<void> }>>();
  const outcomes: Record<DeliveryOutcome['is'], number> = { delivered: 0, failed: 0, gone: 0 };
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    let keptMs = -Infinity;
    let reportedMs = -Infinity;
    while (!stopping.signal.aborted) {
      await attempted(() => book.refresh());
      open();
      const nowMs = scheduler.elapsedMs();
      if (nowMs - reportedMs >= REPORT_EVERY_MS) {
        options.onReport(report());
        reportedMs = nowMs;
      }
      if (nowMs - keptMs >= KEEP_EVERY_MS) {
        await attempted(keep);
        keptMs = scheduler.elapsedMs();
      }
      await signal.wait(pollMs);
    }
    await close();
  };

  /** Opens a lane for each subscription with a push target. */
  const open = (): void => {
    for (const { subscription } of book.all()) {
      const { id } = subscription;
      if (subscription.target.kind === 'pull' || lanes.has(id)) continue;
      const lane = createPushLane({
        ...{ id, book, store, source, planner, target, scheduler, clock, slots, retry, pollMs },
        ...{ onTrouble, disable: options.disable },
        stop: stopping.signal,
        abort: aborting.signal,
        onOutcome: (outcome) => {
          outcomes[outcome] += 1;
        },
      });
      const ended = lane.run().then(
        () => lanes.delete(id),
        (error: unknown) => {
          lanes.delete(id);
          if (!(error instanceof Stopped)) onTrouble(`Subscription ${id}: ${String(error)}`);
        },
      );
      lanes.set(id, { lane, ended: ended.then(() => {}) });
    }
  };

  /** Deletes the deliveries of removed subscriptions, and old ones. */
  const keep = async (): Promise<void> => {
    for (const id of await store.subscriptions()) {
      if (book.wasRemoved(id) && !lanes.has(id)) {
        planner.drop(id);
        while (!(await store.forget(id, STEP)) && !stopping.signal.aborted) {
          await scheduler.yield();
        }
      } else {
        const now = clock.now();
        const limits = {
          deliveredBefore: (now - DELIVERED_KEPT_MICROS) as Micros,
          deliveredKept: DELIVERED_KEPT,
          deadBefore: (now - DEAD_KEPT_MICROS) as Micros,
          limit: STEP,
        };
        while ((await store.purge(id, limits)) >= STEP && !stopping.signal.aborted) {
          await scheduler.yield();
        }
      }
    }
  };

  const attempted = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Unavailable)) onTrouble(String(error));
    }
  };

  /** Lets attempts in flight end within the close timeout; those aborted then are made again later. */
  const close = async (): Promise<void> => {
    for (const { lane } of lanes.values()) lane.wake();
    const state = { ended: false };
    const all = Promise.all([...lanes.values()].map(({ ended }) => ended)).then(() => {
      state.ended = true;
    });
    const untilMs = scheduler.elapsedMs() + options.closeTimeoutMs;
    await scheduler.yield();
    while (!state.ended && scheduler.elapsedMs() < untilMs) await scheduler.sleep(CLOSE_POLL_MS);
    aborting.abort(new Stopped());
    await all;
  };

  const report = (): DeliveryReport => {
    const backlogs = [...lanes.values()].map(({ lane }) => lane.backlog());
    const sum = (of: 'pending' | 'retrying' | 'dead'): number =>
      backlogs.reduce((total, backlog) => total + backlog[of], 0);
    const dueAt = Math.min(...backlogs.map((backlog) => backlog.dueAt ?? Infinity));
    return {
      subscriptions: [...book.all()].length,
      ...{ pending: sum('pending'), retrying: sum('retrying'), dead: sum('dead') },
      damagedEvents: source.damagedEvents(),
      oldestDueMs: Math.max(0, clock.now() - dueAt) / 1000,
      outcomes: { ...outcomes },
    };
  };

  return {
    run() {
      running ??= run();
      return running;
    },
    wake(id) {
      if (id !== undefined) lanes.get(id)?.lane.wake();
      else for (const { lane } of lanes.values()) lane.wake();
      signal.notify();
    },
    due(id) {
      lanes.get(id)?.lane.due();
    },
    async stop() {
      stopping.abort(new Stopped());
      signal.notify();
      await running;
    },
  };
}

const DAY_MICROS = 24 * 3600 * 1_000_000;
/** History of contract events §12.3. */
const DELIVERED_KEPT_MICROS = 7 * DAY_MICROS;
const DELIVERED_KEPT = 10_000;
const DEAD_KEPT_MICROS = 30 * DAY_MICROS;
const STEP = 500;
/** The attempts in flight to all targets together. */
const CONCURRENCY = 256;
const POLL_MS = 2000;
const REPORT_EVERY_MS = 2000;
const KEEP_EVERY_MS = 60_000;
const CLOSE_POLL_MS = 10;
const BACKOFF = { firstMs: 50, maxMs: 5000 };
