import {
  memoryDeliveryStore,
  newDeliveries,
  type DeliveryFaults,
} from '#test/doubles/memory/delivery-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { lifeOf } from '#test/runtime/relay-world.ts';
import { logged, transferTopics } from '#test/support/relayed.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant } from '#src/kernel/instant.ts';
import type { Subscription, SubscriptionChange } from '#src/kernel/subscription.ts';
import type { Delivery } from '#src/ports/delivery-store.ts';
import type {
  DeliveryMessage,
  DeliveryOutcome,
  DeliveryTarget,
} from '#src/ports/delivery-target.ts';
import type { EventStore, NewEvent, StoredEvent, LogSubscription } from '#src/ports/event-store.ts';
import { sleep } from '#src/ports/retry.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { createDispatcher } from '#src/runtime/delivery/dispatcher.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import type { DisableReason } from '#src/runtime/delivery/push-lane.ts';
import type { DeliveryReport } from '#src/runtime/delivery/report.ts';
import { createDeliverySource, type SourceTopic } from '#src/runtime/delivery/source.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A message as its receiver got it. */
export type Received = Readonly<{
  subscriptionId: Uuid;
  eventId: string;
  key: string;
  value: string;
  attempt: number;
  atMs: number;
}>;

/** The response to a message, after a while. One that is lost never reaches the receiver. */
export type Fate = DeliveryOutcome & Readonly<{ afterMs?: number; isLost?: boolean }>;

export const OK: Fate = { is: 'delivered', statusCode: 200 };
export const ERROR: Fate = { is: 'failed', errorClass: 'http_status', statusCode: 500 };

export type DeliveryWorld = ReturnType<typeof deliveryWorld>;

/** A log, deliveries and receivers in memory, and processes that deliver and come and go, in virtual time. */
export function deliveryWorld(seed = 1) {
  const simulation = simulate(seed);
  const { scheduler, clock } = simulation;
  const log = new MemoryLog();
  const writer = new MemoryEventStore({ scheduler, log });
  const data = newDeliveries();
  const received: Received[] = [];
  const disabled: DisableReason[] = [];
  let subscriptions = 0;
  let changes = 0;

  const record = async (...recorded: SubscriptionChange[]): Promise<void> => {
    const events = recorded.map((change) => {
      const event = { type: `Subscription ${change.is}`, data: change } as never;
      return logged(`change ${String((changes += 1))}`, event);
    });
    await writer.append(JOURNAL, events, log.revision(JOURNAL));
  };

  const current = (id: Uuid): Subscription => {
    const last = log
      .read(JOURNAL, 0, Infinity)
      .map(changeIn)
      .findLast((change) => change?.is === 'set' && change.subscription.id === id);
    if (last?.is !== 'set') throw new Error(`No subscription ${id}`);
    return last.subscription;
  };

  /** Makes one change after the other, in one append. */
  const change = async (id: Uuid, ...members: Partial<Subscription>[]): Promise<void> => {
    const updatedAt = formatInstant(clock.now());
    const set = (one: Partial<Subscription>): SubscriptionChange => {
      return { is: 'set', subscription: { ...current(id), ...one, updatedAt } };
    };
    await record(...members.map(set));
  };

  /** A process that delivers; `crash` ends it in the middle of whatever it does. */
  const start = (setting: Setting = {}) => {
    const { mortal, crash } = lifeOf(scheduler);
    const { faults, topics = transferTopics(), fate = () => OK, closeTimeoutMs = 5000 } = setting;
    const events = new MemoryEventStore({
      ...{ scheduler: mortal, log },
      ...(setting.readFails && { faults: { readFails: setting.readFails } }),
    });
    const store = memoryDeliveryStore(mortal, data, faults);
    const troubles: string[] = [];
    const reports: DeliveryReport[] = [];
    const onTrouble = (message: string): void => {
      troubles.push(message);
    };
    const flight = { count: 0, most: 0 };
    const wake = (id?: Uuid): void => dispatcher.wake(id);
    const source = createDeliverySource({
      log: seenLog(events, setting),
      ...{ topics, scheduler: mortal, onNews: wake },
    });
    const book = createBook({
      ...{
        log: events,
        tenants: () => ['default'],
        journalOf: () => JOURNAL,
        changeIn,
        onChange: wake,
      },
    });
    const planner = createPlanner({
      ...{ store, source, book, matches: matchesFilters, clock, scheduler: mortal, onTrouble },
      positionAt: (instant) => events.positionAt(parseInstant(instant)),
    });
    const target: DeliveryTarget = {
      async send(message, signal) {
        const { record, subscription, attempt } = message;
        flight.count += 1;
        flight.most = Math.max(flight.most, flight.count);
        try {
          await mortal.yield();
          const { afterMs = 0, isLost = false, ...outcome } = fate(message);
          if (!isLost) {
            received.push({
              ...{ subscriptionId: subscription.id, key: record.key, value: record.value, attempt },
              ...{ eventId: record.headers['ce-id'] ?? '', atMs: scheduler.elapsedMs() },
            });
          }
          await sleep(afterMs, mortal, signal);
          return outcome;
        } finally {
          flight.count -= 1;
        }
      },
      close: async () => {},
    };
    const dispatcher = createDispatcher({
      ...{ book, store, source, planner, target, clock, closeTimeoutMs, onTrouble },
      ...{ scheduler: mortal, pollMs: setting.still === true ? 5 * MINUTE : 2 * SECOND },
      async disable({ subscription: { id } }, reason) {
        await mortal.yield();
        if (setting.disableFails?.() === true) throw new Error('A defect');
        disabled.push(reason);
        const resumed = setting.resumes === true ? [{ status: 'active' } as const] : [];
        await change(id, { status: 'disabled' }, ...resumed);
      },
      onReport: (report) => reports.push(report),
    });
    const stop = async (): Promise<void> => {
      await dispatcher.stop();
      await source.close();
    };
    const ended = dispatcher.run();
    ended.catch(() => {});
    return { dispatcher, ended, crash, troubles, reports, store, flight, stop };
  };

  return {
    ...{ clock, scheduler, log, data, received, disabled, start, change },
    random: simulation.random,
    run: <Result>(work: Promise<Result>) => simulation.run(work),
    elapsedMs: () => scheduler.elapsedMs(),
    rows: (id?: Uuid): Delivery[] =>
      [...data.rows.values()].filter((row) => id === undefined || row.subscriptionId === id),
    at: (id: Uuid) => received.filter(({ subscriptionId }) => subscriptionId === id),
    statusOf: (id: Uuid) => current(id).status,

    async subscribe(members: Partial<Subscription> = {}): Promise<Uuid> {
      const n = (subscriptions += 1).toString(16).padStart(12, '0');
      const id = `0190a1c0-0000-7000-8000-${n}` as Uuid;
      const now = formatInstant(clock.now());
      const subscription: Subscription = {
        ...{ id, name: `Subscription ${n}`, filters: { types: ['*'] }, format: 'structured' },
        target: { kind: 'webhook', url: 'https://receiver.example', timeoutMs: 15_000 },
        ...{ ordering: 'none', rateLimit: 1000, status: 'active', startAt: 'now' },
        ...{ createdAt: now, updatedAt: now },
        ...members,
      };
      await record({ is: 'set', subscription });
      return id;
    },
    remove: (id: Uuid) => record({ is: 'removed', id }),

    async append(...events: NewEvent[]): Promise<void> {
      await writer.append('ledger-1', events, log.revision('ledger-1'));
    },
    /** Waits until it holds; virtual time is cheap. */
    async until(holds: () => boolean, withinMs = HOUR): Promise<void> {
      const deadline = scheduler.elapsedMs() + withinMs;
      while (!holds()) {
        if (scheduler.elapsedMs() > deadline) throw new Error('It does not come to that');
        await scheduler.sleep(withinMs / 3600 / 50);
      }
    },
  };
}

/** The versions of each balance in the order in which they came first. */
export function versions(received: readonly Received[]): number[][] {
  const first = [...new Map(received.toReversed().map((one) => [one.eventId, one])).values()];
  const byKey = Map.groupBy(first.toReversed(), ({ key }) => key);
  return [...byKey.values()].map((ofKey) =>
    ofKey.map(({ value }) => (JSON.parse(value) as { version: number }).version),
  );
}

type Setting = Readonly<{
  faults?: DeliveryFaults;
  readFails?: () => boolean;
  topics?: readonly SourceTopic[];
  fate?: (message: DeliveryMessage) => Fate;
  /** Positions at which reads find a damaged event. */
  damages?: ReadonlySet<string>;
  disableFails?: () => boolean;
  /** An operator resumes at once what is disabled. */
  resumes?: boolean;
  closeTimeoutMs?: number;
  /** Nothing new comes: spares the looking for it where a story takes days. */
  still?: boolean;
}>;

const STILL: LogSubscription = { ended: new Promise(() => {}), close: async () => {} };

const JOURNAL = 'streaming-default';

function changeIn({ type, data }: StoredEvent): SubscriptionChange | undefined {
  return type.startsWith('Subscription ') ? (JSON.parse(data) as SubscriptionChange) : undefined;
}

/** The log as a process with this setting reads it. */
function seenLog(
  events: MemoryEventStore,
  { damages, still = false }: Setting,
): Pick<EventStore, 'readAll' | 'subscribe' | 'at' | 'end'> {
  const seen = (event: StoredEvent): StoredEvent =>
    damages?.has(event.position) === true ? { ...event, data: `${event.data} ` } : event;
  return {
    async at(position) {
      const event = await events.at(position);
      return event && seen(event);
    },
    readAll: async (after, limit) => (await events.readAll(after, limit)).map(seen),
    subscribe: (after, take) =>
      still ? STILL : events.subscribe(after, (batch) => take(batch.map(seen))),
    end: () => events.end(),
  };
}
