import type { DeliveryAttempt } from '#src/kernel/delivery.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { Delivery } from '#src/ports/delivery-store.ts';
import { delivered, failed, failure, leased, reopened } from './transitions.ts';

/** A lease as clients name it: a delivery, and the token of one attempt. */
export type LeaseName = Readonly<{ id: Uuid; token: string }>;

export const leaseIdOf = ({ id, token }: LeaseName): string => `${id}.${token}`;

/** Reads what leaseIdOf wrote; undefined for any other text. */
export function readLeaseId(leaseId: string): LeaseName | undefined {
  const id = parseUuid(leaseId.slice(0, UUID_LENGTH));
  if (id === undefined) return undefined;
  const name = { id, token: leaseId.slice(UUID_LENGTH + 1) };
  return leaseIdOf(name) === leaseId ? name : undefined;
}

export const isHeld = ({ lease, dueAt }: Delivery, now: Micros): boolean =>
  lease !== undefined && dueAt !== undefined && dueAt > now;

/** Counts the attempt of a lease that expired, after which the delivery is due or dead. Others stay as they are. */
function lapsed(before: Delivery, now: Micros): Delivery {
  const { lease, dueAt } = before;
  if (lease === undefined || dueAt === undefined || dueAt > now) return before;
  const attempt = {
    ...failure('lease_expired', lease.since),
    durationMs: msBetween(lease.since, dueAt),
  };
  return withoutLease(failed(before, attempt, now, 0));
}

/** Leases a due delivery. If the lease before it was the last attempt, it is dead instead. */
export function leaseNext(before: Delivery, token: string, now: Micros, leaseMs: number): Delivery {
  const due = lapsed(before, now);
  if (due.dueAt === undefined) return due;
  return replacing(before, leased(due, token, now, later(now, leaseMs)));
}

/** Counts an attempt to lease a due delivery whose event is damaged; after the last one, it is dead. */
export const notLeased = (before: Delivery, now: Micros, pauseMs: number): Delivery => {
  const next = failed(lapsed(before, now), failure('serialization_error', now), now, pauseMs);
  return replacing(before, withoutLease(next));
};

/** Acknowledges a message; the lease stays, so that a repeated acknowledgment is known. */
export const acknowledged = (held: Delivery, now: Micros): Delivery =>
  delivered(held, attemptOf(held, now), now);

/** Returns a message: it is due again after the pause; after the last attempt, it dies. */
export function returned(held: Delivery, now: Micros, pauseMs: number): Delivery {
  const next = failed(held, { ...attemptOf(held, now), errorClass: 'nacked' }, now, pauseMs);
  return next.dueAt === undefined ? next : withoutLease(next);
}

export const prolonged = (held: Delivery, now: Micros, leaseMs: number): Delivery =>
  held.lease === undefined
    ? held
    : leased(held, held.lease.token, held.lease.since, later(now, leaseMs));

/** Makes a delivery due now; an expired lease is still counted among its attempts. */
export const dueAgain = (before: Delivery, now: Micros): Delivery =>
  replacing(before, reopened(lapsed(before, now), now));

/** Numbers the outcome of several transitions as one change of the delivery before them. */
export const replacing = (before: Delivery, next: Delivery): Delivery => ({
  ...next,
  version: before.version + 1,
});

const attemptOf = ({ lease }: Delivery, now: Micros): DeliveryAttempt => {
  const since = lease?.since ?? now;
  return { at: formatInstant(since), durationMs: msBetween(since, now) };
};

const withoutLease = ({ lease: _lease, ...rest }: Delivery): Delivery => rest;
const later = (now: Micros, ms: number): Micros => (now + ms * 1000) as Micros;
const msBetween = (since: Micros, until: Micros): number =>
  Math.max(0, Math.round((until - since) / 1000));

const UUID_LENGTH = 36;
