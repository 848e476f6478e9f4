import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant, parseTime, type Micros } from '#src/kernel/instant.ts';
import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START } from '#src/ports/event-store.ts';
import type { IncomingMessage } from '#src/ports/message-source.ts';
import type { Draft, OutgoingRecord } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { EventRefused, MalformedEvent, type ReceivedEvent } from '#src/runtime/received-event.ts';
import type { BookedSubscription, SubscriptionBook } from './book.ts';
import type { DeliveryPlanner } from './planner.ts';
import { planned } from './transitions.ts';

export type TopicPlannerOptions = Readonly<{
  book: SubscriptionBook;
  store: Pick<DeliveryStore, 'add' | 'backlog'>;
  planner: Pick<DeliveryPlanner, 'cursor'>;
  /** Returns the record as it is delivered, with the reason if it cannot be. */
  recordOf: (message: IncomingMessage) => Draft;
  matches: (filters: SubscriptionFilters, record: OutgoingRecord) => boolean;
  /** The ce-source of this deployment, whose events the log yields. */
  ownSource: string;
  /** Returns the id that subscriptions record of the tenant that an event names, if it names one. */
  recordedAs: (tenantId: string | undefined) => string;
  clock: Clock;
  scheduler: Scheduler;
  /** Called for a subscription of which deliveries became due. */
  onDue: (id: Uuid) => void;
  /** The unfinished deliveries of a subscription above which no more are planned. */
  unfinishedMax?: number;
}>;

/** The messages of topics by their outcome, since the start. */
export type PlannedTopics = Readonly<{
  planned: number;
  /** Those that were planned before, and came again. */
  repeated: number;
  /** Those that no subscription is for. */
  unmatched: number;
  /** Those of this deployment. */
  own: number;
}>;

/** Plans the deliveries of events that other producers publish to topics. */
export type TopicPlanner = Readonly<{
  /**
   * Plans the deliveries of an event, which are durable when it resolves. Errors: Unavailable; EventRefused, if it
   * cannot be delivered or a subscription has no room for it, in which case it is planned for the others.
   */
  plan(event: ReceivedEvent, message: IncomingMessage): Promise<void>;
  report(): PlannedTopics;
}>;

export function createTopicPlanner(options: TopicPlannerOptions): TopicPlanner {
  const { book, store, planner, recordOf, matches, ownSource, recordedAs } = options;
  const { clock, scheduler, onDue, unfinishedMax = UNFINISHED_MAX } = options;
  const add = addTogether(store, scheduler);
  const counts = { planned: 0, repeated: 0, unmatched: 0, own: 0 };
  /** The unfinished deliveries of a subscription when they were counted, and those added since. */
  const backlogs = new Map<Uuid, { unfinished: number; readonly countedMs: number }>();

  const plan: TopicPlanner['plan'] = async (event, message) => {
    if (event.source === ownSource) {
      counts.own += 1;
      return;
    }
    const { fault, ...record } = recordOf(message);
    const time = parseTime(event.time);
    if (fault !== undefined || time === undefined) {
      throw new MalformedEvent(fault ?? 'Its ce-time is not RFC 3339');
    }
    // A subscription that was acknowledged before the event was published is known from here on.
    await refreshed(book);
    const tenantId = recordedAs(event.tenantId);
    const isFor = (booked: BookedSubscription): boolean =>
      booked.tenantId === tenantId &&
      startOf(booked) <= time &&
      matches(booked.subscription.filters, record);
    const matching = [...book.all()].filter(isFor);
    if (matching.length === 0) {
      counts.unmatched += 1;
      return;
    }

    const deliveries: Delivery[] = [];
    const full: Uuid[] = [];
    for (const booked of matching) {
      const { id } = booked.subscription;
      if (await hasRoom(id)) {
        await planner.cursor(booked); // Deliveries are not due without one.
        deliveries.push(deliveryOf(booked, record, message));
      } else {
        full.push(id);
      }
    }
    const added = deliveries.length > 0 ? await add(deliveries) : new Set();
    if (deliveries.some(({ id }) => added.has(id))) counts.planned += 1;
    else if (full.length === 0) counts.repeated += 1;
    for (const { subscriptionId } of deliveries) {
      const backlog = backlogs.get(subscriptionId);
      if (backlog !== undefined) backlog.unfinished += 1;
      onDue(subscriptionId);
    }
    if (full.length > 0) {
      const text = `Subscriptions with ${unfinishedMax} unfinished deliveries take no more: ${full.join(', ')}`;
      throw new EventRefused('backlog_full', text);
    }
  };

  /** Rows of topics hold whole messages, so their number has a limit; those above it go to the dead letters. */
  const hasRoom = async (id: Uuid): Promise<boolean> => {
    const known = backlogs.get(id);
    const nowMs = scheduler.elapsedMs();
    if (known !== undefined && nowMs - known.countedMs < COUNT_EVERY_MS) {
      return known.unfinished < unfinishedMax;
    }
    const { pending, retrying } = await store.backlog(id);
    backlogs.set(id, { unfinished: pending + retrying, countedMs: nowMs });
    return pending + retrying < unfinishedMax;
  };

  const deliveryOf = (
    { subscription, tenantId }: BookedSubscription,
    record: OutgoingRecord,
    { topic, offset = '0' }: IncomingMessage,
  ): Delivery => {
    const [position, ordinal, now] = [START, Number(offset), clock.now()];
    const { id: subscriptionId } = subscription;
    const delivery = planned({ subscriptionId, tenantId, record, position, ordinal, now });
    // Kafka keeps the order of one topic and key; without a key, there is none to keep.
    const place = record.key === '' ? delivery.id : record.key;
    return { ...delivery, recordKey: `${topic}\n${place}`, message: record };
  };

  return { plan, report: () => ({ ...counts }) };
}

/**
 * Adds together what is added at the same time, for the messages of several partitions: a step to the disk takes about as
 * long for all of them as for one.
 */
function addTogether(
  store: TopicPlannerOptions['store'],
  scheduler: Scheduler,
): DeliveryStore['add'] {
  let waiting: Delivery[] = [];
  let adding: Promise<ReadonlySet<Uuid>> | undefined;
  return (deliveries) => {
    waiting.push(...deliveries);
    adding ??= scheduler.yield().then(() => {
      const all = waiting;
      waiting = [];
      adding = undefined;
      return store.add(all);
    });
    return adding;
  };
}

/** Whatever is wrong with the log says nothing about the event. */
async function refreshed(book: SubscriptionBook): Promise<void> {
  try {
    await book.refresh();
  } catch (cause) {
    throw new Unavailable(`Subscriptions cannot be read: ${String(cause)}`, { cause });
  }
}

/** Clocks of other producers may be a little behind: an event after the subscription must not be left out. */
const startOf = ({ subscription: { startAt, createdAt } }: BookedSubscription): Micros =>
  startAt === 'now'
    ? ((parseInstant(createdAt) - CLOCK_SLACK_MICROS) as Micros)
    : parseInstant(startAt);

const CLOCK_SLACK_MICROS = 60_000_000;
const UNFINISHED_MAX = 100_000;
const COUNT_EVERY_MS = 2000;
