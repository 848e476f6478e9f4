import type { DeliveryAttempt, DeliveryStatus } from '#src/kernel/delivery.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Position } from './event-store.ts';
import type { OutgoingRecord } from './publisher.ts';

/** A record to be delivered to a subscription. */
export type Delivery = Readonly<{
  /** Derived from the subscription and the ce-id, so that planning the same record twice yields one delivery. */
  id: Uuid;
  /** Grows with every change; a change names the version that it replaces. */
  version: number;
  subscriptionId: Uuid;
  tenantId: string;
  /**
   * The event of the log that yields the record, and the record's number among those of the event; for a record of a
   * topic, START and its offset.
   */
  position: Position;
  ordinal: number;
  /** The ce-id and ce-type. */
  eventId: string;
  eventType: string;
  /** Records with the same text are in order of their places. */
  recordKey: string;
  /** The record itself if the log does not yield it. */
  message?: OutgoingRecord;
  status: DeliveryStatus;
  /** The last attempts, oldest first. */
  attempts: readonly DeliveryAttempt[];
  /** The number of attempts since it was planned or replayed. */
  tries: number;
  /** The time of the next attempt or the end of the lease; absent once delivered or dead. */
  dueAt?: Micros;
  /** Present while, or after, a consumer holds it; each attempt has another. */
  lease?: Readonly<{ token: string; since: Micros }>;
  /** The time at which it was delivered or died. */
  finishedAt?: Micros;
}>;

/** The progress of a subscription in the log. */
export type SubscriptionProgress = Readonly<{
  /** Every event up to it is planned. */
  cursor: Position;
  /** The time of the first failure since the last success. */
  failingSince?: Micros;
}>;

/** Deliveries planned for a subscription from the events between two positions. */
export type Plan = Readonly<{
  subscriptionId: Uuid;
  /** The cursor that is replaced; undefined for the first plan. */
  from: Position | undefined;
  to: Position;
  deliveries: readonly Delivery[];
}>;

export type DueQuery = Readonly<{
  now: Micros;
  limit: number;
  /** Leaves out deliveries that have an unfinished predecessor with the same record key. */
  ordered: boolean;
}>;

export type DeliveryFilter = Readonly<{
  tenantId: string;
  subscriptionId?: Uuid;
  status?: DeliveryStatus;
  eventId?: string;
  /** Those that finished at or after `from` and before `to`. */
  from?: Micros;
  to?: Micros;
}>;

export type Backlog = Readonly<{
  pending: number;
  retrying: number;
  dead: number;
  /** The earliest time at which one of them is due. */
  dueAt?: Micros;
}>;

export type PurgeLimits = Readonly<{
  /** Those delivered before are deleted, and all but the newest `deliveredKept`. */
  deliveredBefore: Micros;
  deliveredKept: number;
  deadBefore: Micros;
  /** The maximum number to delete at once. */
  limit: number;
}>;

/**
 * Stores the state of deliveries, which the log does not hold: if it is lost, records are delivered again. Writes are
 * durable when they resolve. Errors: Unavailable.
 */
export interface DeliveryStore {
  progress(subscriptionId: Uuid): Promise<SubscriptionProgress | undefined>;

  /**
   * Adds deliveries and moves the cursor, in one step as readers see it: deliveries beyond the cursor are not due.
   * Existing deliveries stay as they are. Returns false, and changes nothing that is seen, if the cursor is not `from`.
   */
  plan(plan: Plan): Promise<boolean>;

  /** Records the time of the first failure since the last success; undefined after a success. */
  markFailing(subscriptionId: Uuid, since: Micros | undefined): Promise<void>;

  /**
   * Adds deliveries that no event of the log yields; they are due like any other once there is a cursor. Existing ones
   * stay as they are. Returns the ids of those that were added.
   */
  add(deliveries: readonly Delivery[]): Promise<ReadonlySet<Uuid>>;

  /** Returns unfinished deliveries that are due: the earliest first, then in the order of the log. */
  due(subscriptionId: Uuid, query: DueQuery): Promise<readonly Delivery[]>;

  get(ids: readonly Uuid[]): Promise<readonly Delivery[]>;

  /**
   * Replaces deliveries whose stored version is one lower. Returns the ids of those that were replaced; the others were
   * changed or deleted by another writer.
   */
  replace(deliveries: readonly Delivery[]): Promise<ReadonlySet<Uuid>>;

  /** Returns deliveries, the latest first. */
  list(filter: DeliveryFilter, offset: number, limit: number): Promise<readonly Delivery[]>;

  backlog(subscriptionId: Uuid): Promise<Backlog>;

  /** Returns every subscription that has progress or deliveries here. */
  subscriptions(): Promise<readonly Uuid[]>;

  /** Deletes old finished deliveries. Returns the number deleted; `limit` of them means that there may be more. */
  purge(subscriptionId: Uuid, limits: PurgeLimits): Promise<number>;

  /** Deletes up to `limit` deliveries of a subscription, then its progress. Returns true when nothing is left. */
  forget(subscriptionId: Uuid, limit: number): Promise<boolean>;

  close(): Promise<void>;
}
