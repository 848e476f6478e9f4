import type { DeliveryStatus, DeliveryView } from '#src/kernel/delivery.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { OutgoingRecord } from './publisher.ts';

/** Addresses a subscription; one of another tenant does not exist for the caller. */
export type SubscriptionAddress = Readonly<{ tenantId: string; subscriptionId: Uuid }>;

export type PullOptions = Readonly<{
  max: number;
  /** The time to wait for the first message. */
  waitMs: number;
  leaseMs: number;
}>;

/** A message leased to a consumer. */
export type PulledMessage = Readonly<{
  /** Unguessable, and valid for this attempt only. */
  leaseId: string;
  /** Counts from 1. */
  attempt: number;
  record: OutgoingRecord;
}>;

/** The outcome of a call with leases: those that were valid, and those that expired or never existed. */
export type LeasesSettled = Readonly<{ settled: number; expired: readonly string[] }>;

export type DeliverySearch = Readonly<{
  tenantId: string;
  subscriptionId?: Uuid;
  status?: DeliveryStatus;
  eventId?: string;
}>;

export type DeliveryPage = Readonly<{ offset: number; limit: number }>;

/** Selects dead letters by the ids of deliveries, or by the time at which they died. */
export type DeadLetterSelection =
  Readonly<{ ids: readonly Uuid[] }> | Readonly<{ from: Instant; to: Instant }>;

/**
 * The calls of the API to the delivery service (contract events §12.1, §12.4). Calls return undefined if the
 * subscription or delivery does not exist; those with leases, also if it has another target than `pull`. Errors:
 * Unavailable.
 */
export interface DeliveryCalls {
  /** Leases due messages. A subscription that is not active yields none. */
  pull(
    of: SubscriptionAddress,
    options: PullOptions,
  ): Promise<readonly PulledMessage[] | undefined>;
  ack(of: SubscriptionAddress, leaseIds: readonly string[]): Promise<LeasesSettled | undefined>;
  /** Returns messages; they are offered again after `delayMs`, and die after the last attempt. */
  nack(
    of: SubscriptionAddress,
    leaseIds: readonly string[],
    delayMs: number,
  ): Promise<LeasesSettled | undefined>;
  /** Prolongs leases to `leaseMs` from now. */
  extend(
    of: SubscriptionAddress,
    leaseIds: readonly string[],
    leaseMs: number,
  ): Promise<LeasesSettled | undefined>;

  /** Returns deliveries, the latest first. */
  deliveries(search: DeliverySearch, page: DeliveryPage): Promise<readonly DeliveryView[]>;
  /** Makes a delivery due now, whatever its status, with all attempts before it; a valid lease keeps it. */
  retry(tenantId: string, deliveryId: Uuid): Promise<DeliveryView | undefined>;
  /** Makes dead letters due now. Returns how many. */
  replay(of: SubscriptionAddress, selection: DeadLetterSelection): Promise<number | undefined>;
  /** Plans the delivery of a ping, in any status but `disabled` or `paused`. */
  ping(of: SubscriptionAddress): Promise<DeliveryView | undefined>;
}
