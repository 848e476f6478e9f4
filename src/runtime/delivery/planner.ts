import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { BookedSubscription, SubscriptionBook } from './book.ts';
import type { DeliverySource, SourceEvent } from './source.ts';
import { planned } from './transitions.ts';

/** Plans the deliveries of subscriptions from the log. Several planners may work on the same subscription. */
export type DeliveryPlanner = Readonly<{
  /**
   * Plans from the next events. What can be read of a damaged one is planned, and sent only once it is whole. Errors:
   * Unavailable.
   */
  advance(booked: BookedSubscription): Promise<PlanProgress>;
  /** Returns the cursor, which is set if the subscription had none. Errors: Unavailable. */
  cursor(booked: BookedSubscription): Promise<Position>;
  /** Forgets what is kept in memory of a subscription. */
  drop(id: Uuid): void;
}>;

export type PlanProgress = Readonly<{ planned: number; atEnd: boolean }>;

export type PlannerOptions = Readonly<{
  store: Pick<DeliveryStore, 'progress' | 'plan'>;
  source: DeliverySource;
  book: Pick<SubscriptionBook, 'refresh' | 'get' | 'hasTaken'>;
  matches: (filters: SubscriptionFilters, record: OutgoingRecord) => boolean;
  /** Returns a position before every event that was recorded at an instant or later. */
  positionAt: (instant: Instant) => Promise<Position>;
  clock: Clock;
  scheduler: Scheduler;
  onTrouble: (message: string) => void;
}>;

/** The place of a subscription in the log. */
type PlannerPlace = {
  cursor: Position;
  /** All events up to it were read; those after the cursor yielded nothing. */
  at: Position;
  savedMs: number;
};

export function createPlanner(options: PlannerOptions): DeliveryPlanner {
  const { store, source, book, matches, positionAt, clock, scheduler, onTrouble } = options;
  const places = new Map<Uuid, PlannerPlace>();
  const advancing = new Map<Uuid, Promise<PlanProgress>>();

  const placeOf = async (booked: BookedSubscription): Promise<PlannerPlace> => {
    const { id } = booked.subscription;
    const known = places.get(id);
    if (known !== undefined) return known;
    const cursor = await openCursor(booked);
    await book.refresh(); // Whoever moved the cursor may have seen changes that this process has not.
    const place = { cursor, at: cursor, savedMs: scheduler.elapsedMs() };
    places.set(id, place);
    return place;
  };

  const openCursor = async ({ subscription, createdAt }: BookedSubscription): Promise<Position> => {
    const { id, startAt, name } = subscription;
    for (;;) {
      const from = (await store.progress(id))?.cursor;
      const end = await source.end();
      if (from !== undefined && from <= end) return from;
      if (from !== undefined) {
        const message = `Its cursor (${from}) is ahead of the log (${end}), which is an older copy: it goes on from the end`;
        onTrouble(`Subscription ${name}: ${message}`);
      }
      const first = startAt === 'now' ? createdAt : await positionAt(startAt);
      const to = from === undefined ? first : end;
      if (await store.plan({ subscriptionId: id, from, to, deliveries: [] })) return to;
    }
  };

  /**
   * Returns the subscription with every change that the log has before the last of some events; undefined if it does not
   * deliver them now.
   */
  const upToDate = async (
    id: Uuid,
    events: readonly SourceEvent[],
  ): Promise<BookedSubscription | undefined> => {
    const isTaken = (): boolean => events.every((event) => book.hasTaken(event));
    if (!isTaken()) await book.refresh();
    const booked = book.get(id);
    return booked?.subscription.status === 'active' && isTaken() ? booked : undefined;
  };

  const advance = async (known: BookedSubscription): Promise<PlanProgress> => {
    const { id } = known.subscription;
    const place = await placeOf(known);
    const events = await source.after(place.at, EVENTS_MAX);
    const booked = await upToDate(id, events);
    if (booked === undefined) return { planned: 0, atEnd: true };
    const deliveries: Delivery[] = [];
    let at = place.at;
    for (const event of events) {
      deliveries.push(...deliveriesOf(event, booked));
      at = event.position;
      if (deliveries.length >= DELIVERIES_MAX) break;
    }
    const progress = { planned: deliveries.length, atEnd: events.length === 0 };
    place.at = at;
    const isStale = at !== place.cursor && scheduler.elapsedMs() - place.savedMs >= SAVE_EVERY_MS;
    if (deliveries.length === 0 && !isStale) return progress;

    // Until the outcome is known, the place is not: the store may have moved the cursor without a response.
    places.delete(id);
    const isMoved = await store.plan({
      ...{ subscriptionId: id, from: place.cursor, to: at, deliveries },
    });
    if (!isMoved) return { planned: 0, atEnd: false };
    places.set(id, { cursor: at, at, savedMs: scheduler.elapsedMs() });
    return progress;
  };

  const deliveriesOf = (event: SourceEvent, booked: BookedSubscription): Delivery[] => {
    const { subscription, tenantId } = booked;
    const { startAt, filters, id: subscriptionId } = subscription;
    if (event.tenantId !== tenantId || event.recordedAt < startOf(startAt)) return [];
    const { position } = event;
    return event.records.flatMap((record, ordinal) => {
      if (!matches(filters, record)) return [];
      const { fault } = record;
      const now = clock.now();
      return planned({
        ...{ subscriptionId, tenantId, record, position, ordinal, now },
        ...(fault !== undefined && { fault }),
      });
    });
  };

  return {
    advance(booked) {
      const { id } = booked.subscription;
      let running = advancing.get(id);
      if (running === undefined) {
        running = advance(booked).finally(() => advancing.delete(id));
        advancing.set(id, running);
      }
      return running;
    },
    cursor: async (booked) => (await placeOf(booked)).cursor,
    drop: (id) => {
      places.delete(id);
    },
  };
}

const startOf = (startAt: 'now' | Instant): string => (startAt === 'now' ? '' : startAt);

const EVENTS_MAX = 500;
const DELIVERIES_MAX = 500;
/** Events that yield nothing are read again after a crash, at most those of this time. */
const SAVE_EVERY_MS = 5000;
