import { hash } from 'node:crypto';
import type { DeliveryAttempt, DeliveryView } from '#src/kernel/delivery.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { Delivery } from '#src/ports/delivery-store.ts';
import type { DeliveryErrorClass } from '#src/ports/delivery-target.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { ATTEMPTS_MAX } from './ladder.ts';

type PlannedRecord = Readonly<{
  subscriptionId: Uuid;
  tenantId: string;
  record: OutgoingRecord;
  position: Position;
  ordinal: number;
  /** The time from which it is due. */
  now: Micros;
  /** Says why the record can never be sent. */
  fault?: string;
}>;

/** Plans the delivery of a record; one that can never be sent is dead at once. */
export function planned({ record, now, fault, ...rest }: PlannedRecord): Delivery {
  const eventId = record.headers['ce-id'] ?? '';
  const delivery: Delivery = {
    ...{ id: deliveryId(rest.subscriptionId, eventId), version: 0 },
    ...{ subscriptionId: rest.subscriptionId, tenantId: rest.tenantId },
    ...{ position: rest.position, ordinal: rest.ordinal },
    ...{ eventId, eventType: record.headers['ce-type'] ?? '', recordKey: record.key },
    ...{ status: 'pending', attempts: [], tries: 0, dueAt: now },
  };
  return fault === undefined ? delivery : { ...unsendable(delivery, now), version: 0 };
}

/**
 * Returns a UUIDv7 with the time of the ce-id and, as random bits, the first ones of SHA-256 over subscription and
 * ce-id; for a ce-id that is not a UUIDv7, the time is of that hash too. The same event must have the same id whenever
 * it comes again.
 */
function deliveryId(subscriptionId: Uuid, eventId: string): Uuid {
  const digest = hash('sha256', `${subscriptionId}\n${eventId}`);
  const time = UUID_V7.test(eventId)
    ? eventId.slice(0, 13)
    : `${digest.slice(20, 28)}-${digest.slice(28, 32)}`;
  const variant = '89ab'.charAt(Number.parseInt(digest.charAt(3), 16) & 3);
  return `${time}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}` as Uuid;
}
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const delivered = (before: Delivery, attempt: DeliveryAttempt, now: Micros): Delivery => ({
  ...attempted(before, attempt),
  status: 'delivered',
  finishedAt: now,
});

export const dead = (before: Delivery, attempt: DeliveryAttempt, now: Micros): Delivery => ({
  ...attempted(before, attempt),
  status: 'dead',
  finishedAt: now,
});

/** Makes it due again after a pause; after the last attempt, it dies. */
export function failed(
  before: Delivery,
  attempt: DeliveryAttempt,
  now: Micros,
  pauseMs: number,
): Delivery {
  if (before.tries + 1 >= ATTEMPTS_MAX) return dead(before, attempt, now);
  return {
    ...attempted(before, attempt),
    status: 'retrying',
    dueAt: (now + Math.ceil(pauseMs * 1000)) as Micros,
  };
}

/** Buries a delivery whose record cannot be sent, whatever the target. */
export const unsendable = (before: Delivery, now: Micros): Delivery =>
  dead(before, failure('serialization_error', now), now);

export const failure = (errorClass: DeliveryErrorClass, at: Micros): DeliveryAttempt => ({
  at: formatInstant(at),
  durationMs: 0,
  errorClass,
});

/** Leases it to a consumer: it is due again, and the lease over, at `until`. */
export const leased = (
  before: Delivery,
  token: string,
  since: Micros,
  until: Micros,
): Delivery => ({ ...before, version: before.version + 1, lease: { token, since }, dueAt: until });

/** Makes it due now, with all attempts before it. */
export function reopened(before: Delivery, now: Micros): Delivery {
  const { lease: _lease, finishedAt: _finishedAt, ...rest } = before;
  return { ...rest, version: before.version + 1, status: 'pending', tries: 0, dueAt: now };
}

/** Counts an attempt. A lease stays on a delivery that is finished by it, so that its repeated settlement is known. */
function attempted(before: Delivery, attempt: DeliveryAttempt): Delivery {
  const { dueAt: _dueAt, ...rest } = before;
  return {
    ...rest,
    version: before.version + 1,
    attempts: [...before.attempts, attempt].slice(-ATTEMPTS_KEPT),
    tries: before.tries + 1,
  };
}

export const viewOf = (delivery: Delivery): DeliveryView => ({
  id: delivery.id,
  subscriptionId: delivery.subscriptionId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.dueAt !== undefined && { nextAttemptAt: formatInstant(delivery.dueAt) }),
});

const ATTEMPTS_KEPT = 2 * ATTEMPTS_MAX;
