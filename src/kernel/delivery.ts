import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/** The state of one record on its way to one subscription (contract events §12.3). */
export type DeliveryView = Readonly<{
  id: Uuid;
  subscriptionId: Uuid;
  /** The ce-id of the record, the same on every attempt. */
  eventId: string;
  eventType: string;
  status: DeliveryStatus;
  attempts: readonly DeliveryAttempt[];
  nextAttemptAt?: Instant;
}>;

/** `pending` was never attempted, `retrying` was; `dead` exhausted its attempts. */
export type DeliveryStatus = 'pending' | 'delivered' | 'retrying' | 'dead';

export type DeliveryAttempt = Readonly<{
  at: Instant;
  durationMs: number;
  statusCode?: number;
  errorClass?: string;
  /** The beginning of the response, at most 1 KiB. */
  body?: string;
}>;
