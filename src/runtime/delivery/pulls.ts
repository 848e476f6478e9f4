import type { Uuid } from '#src/kernel/ids.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { PulledMessage, PullOptions, SubscriptionAddress } from '#src/ports/delivery-calls.ts';
import type { Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { BookedSubscription, SubscriptionBook } from './book.ts';
import { pauseMs } from './ladder.ts';
import { leaseIdOf, leaseNext, notLeased, replacing } from './message-lease.ts';
import type { DeliveryPlanner } from './planner.ts';
import { ifDamaged, recordOf } from './push-lane.ts';
import { createSignal, type Signal } from './signal.ts';
import { createSlots, type Slots } from './slots.ts';
import type { DeliverySource } from './source.ts';
import { unsendable } from './transitions.ts';

export type PullParts = Readonly<{
  book: SubscriptionBook;
  store: DeliveryStore;
  source: DeliverySource;
  planner: DeliveryPlanner;
  clock: Clock;
  scheduler: Scheduler;
  randomBytes: RandomBytes;
}>;

/** Leases messages to those who pull. Pull subscriptions are planned only as far as they are pulled. */
export type Pulls = Readonly<{
  /** Returns undefined if there is no such subscription, or it is not pulled. Errors: Unavailable. */
  pull(
    of: SubscriptionAddress,
    options: PullOptions,
  ): Promise<readonly PulledMessage[] | undefined>;
  /** Reports that the log grew, to all pulls that wait. */
  look(): void;
  /** Reports that deliveries of a subscription became due. */
  due(id: Uuid): void;
  /** Ends the pulls that wait: they return no messages. */
  stop(): void;
}>;

/** The pulls of one subscription in this process. */
type PullQueue = {
  /** They take turns, because those at the same time would read the same messages. */
  readonly turns: Slots;
  readonly waiting: Set<Signal>;
  /** Counts the reports of deliveries that became due. */
  changes: number;
  /** The unfinished deliveries when they were counted, and those planned since. */
  unfinished: number;
  countedMs: number;
};

export function createPulls(parts: PullParts): Pulls {
  const { book, store, source, planner, clock, scheduler, randomBytes } = parts;
  const queues = new Map<Uuid, PullQueue>();
  const stopping = new AbortController();

  const queueOf = (id: Uuid): PullQueue => {
    const known = queues.get(id);
    if (known !== undefined) return known;
    const counts = { changes: 0, unfinished: 0, countedMs: -Infinity };
    const queue = { turns: createSlots(1), waiting: new Set<Signal>(), ...counts };
    queues.set(id, queue);
    return queue;
  };

  const pull: Pulls['pull'] = async (of, options) => {
    const untilMs = scheduler.elapsedMs() + options.waitMs;
    const queue = queueOf(of.subscriptionId);
    const signal = createSignal(scheduler);
    queue.waiting.add(signal);
    try {
      let polledMs = -Infinity;
      for (let seen = queue.changes; ;) {
        const isPoll = scheduler.elapsedMs() - polledMs >= POLL_MS;
        if (isPoll) await book.refresh();
        const booked = pulled(book.get(of.subscriptionId), of);
        if (booked === undefined) return undefined;

        const mayBeDue = isPoll || seen !== queue.changes;
        seen = queue.changes;
        if (isPoll) polledMs = scheduler.elapsedMs();
        const isActive = booked.subscription.status === 'active';
        const messages = isActive ? await take(booked, queue, options, untilMs, mayBeDue) : [];
        const leftMs = untilMs - scheduler.elapsedMs();
        if (messages.length > 0 || leftMs <= 0 || stopping.signal.aborted) return messages;
        await signal.wait(Math.min(leftMs, POLL_MS));
      }
    } finally {
      queue.waiting.delete(signal);
      if (queue.waiting.size === 0 && book.get(of.subscriptionId) === undefined) {
        queues.delete(of.subscriptionId);
      }
    }
  };

  const take = async (
    booked: BookedSubscription,
    queue: PullQueue,
    options: PullOptions,
    untilMs: number,
    mayBeDue: boolean,
  ): Promise<readonly PulledMessage[]> => {
    const release = await queue.turns.take(NEVER);
    try {
      let isDue = mayBeDue;
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const due = await gather(booked, queue, options.max, untilMs, isDue);
        if (due.length === 0) return [];
        const messages = await lease(due, options.leaseMs);
        if (messages.length > 0) return messages;
        isDue = true; // Others took them, or they died: there may be more behind them.
      }
      return [];
    } finally {
      release();
    }
  };

  /** Returns due deliveries, and plans on while there are too few and the log has more. */
  const gather = async (
    booked: BookedSubscription,
    queue: PullQueue,
    max: number,
    untilMs: number,
    mayBeDue: boolean,
  ): Promise<readonly Delivery[]> => {
    const { id, ordering } = booked.subscription;
    const read = (): Promise<readonly Delivery[]> =>
      store.due(id, { now: clock.now(), limit: max, ordered: ordering === 'key' });
    const due = mayBeDue ? await read() : [];
    const startedMs = scheduler.elapsedMs();
    let planned = 0;
    while (due.length + planned < max && !(await isFull(booked, queue))) {
      const progress = await planner.advance(booked);
      planned += progress.planned;
      queue.unfinished += progress.planned;
      const nowMs = scheduler.elapsedMs();
      const isOver = due.length + planned > 0 || nowMs >= untilMs;
      if (progress.atEnd || (isOver && nowMs - startedMs >= PLAN_MS)) break;
      await scheduler.yield();
    }
    return planned > 0 ? read() : due;
  };

  /** Decides whether nothing more is planned, because too much is leased or waits for its predecessor. */
  const isFull = async (
    { subscription: { id, ordering } }: BookedSubscription,
    queue: PullQueue,
  ): Promise<boolean> => {
    if (scheduler.elapsedMs() - queue.countedMs >= POLL_MS) {
      const { pending, retrying } = await store.backlog(id);
      queue.unfinished = pending + retrying;
      queue.countedMs = scheduler.elapsedMs();
    }
    return queue.unfinished >= UNFINISHED_MAX[ordering];
  };

  /** Leases what fits one response. Those that another consumer leased meanwhile are left out. */
  const lease = async (
    due: readonly Delivery[],
    leaseMs: number,
  ): Promise<readonly PulledMessage[]> => {
    const found = await recordsThatFit(due);
    const now = clock.now();
    const messages = new Map<Uuid, PulledMessage>();
    const changes = found.map(([before, record]) => {
      const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
      const next = leaseNext(before, token, now, leaseMs);
      if (next.dueAt === undefined) return next;
      if (record === undefined) return replacing(before, unsendable(next, now));
      if (record instanceof Damaged) {
        return notLeased(before, now, pauseMs(before.tries + 1, scheduler.random()));
      }
      const { id, tries } = next;
      messages.set(id, { leaseId: leaseIdOf({ id, token }), attempt: tries + 1, record });
      return next;
    });
    const replaced = await store.replace(changes);
    return [...messages].flatMap(([id, message]) => (replaced.has(id) ? message : []));
  };

  const recordsThatFit = async (due: readonly Delivery[]): Promise<readonly RecordDue[]> => {
    const found: RecordDue[] = [];
    let bytes = 0;
    for (let from = 0; from < due.length; from += READS) {
      const some = due.slice(from, from + READS);
      const records = await Promise.all(
        some.map((delivery) => recordOf(delivery, source).catch(ifDamaged)),
      );
      for (const [n, delivery] of some.entries()) {
        const record = records[n];
        bytes += record instanceof Damaged ? 0 : Buffer.byteLength(record?.value ?? '');
        if (bytes > BYTES_MAX && found.length > 0) return found;
        found.push([delivery, record]);
      }
    }
    return found;
  };

  const look = (): void => {
    for (const { waiting } of queues.values()) for (const signal of waiting) signal.notify();
  };

  return {
    pull,
    look,
    due(id) {
      const queue = queues.get(id);
      if (queue === undefined) return;
      queue.changes += 1;
      for (const signal of queue.waiting) signal.notify();
    },
    stop() {
      stopping.abort();
      look();
    },
  };
}

/** A delivery, and its record if the log still yields it, or why it cannot be read. */
type RecordDue = readonly [Delivery, OutgoingRecord | Damaged | undefined];

/** Returns the subscription if it belongs to the tenant and is pulled. */
export const pulled = (
  booked: BookedSubscription | undefined,
  { tenantId }: SubscriptionAddress,
): BookedSubscription | undefined =>
  booked?.tenantId === tenantId && booked.subscription.target.kind === 'pull' ? booked : undefined;

const NEVER = new AbortController().signal;
/** The longest time until a waiting pull sees what other processes changed, and leases that expired. */
const POLL_MS = 1000;
/** Planning takes at most this long once there is something to return. */
const PLAN_MS = 250;
const UNFINISHED_MAX = { none: 100_000, key: 10_000 };
const ROUNDS_MAX = 10;
const BYTES_MAX = 4 * 1024 * 1024;
const TOKEN_BYTES = 16;
/** The records read from the log at once. */
const READS = 16;
