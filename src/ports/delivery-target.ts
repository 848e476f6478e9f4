import type { Micros } from '#src/kernel/instant.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type { ErrorClass, OutgoingRecord } from './publisher.ts';

/** One attempt to deliver a record to the target of a subscription. */
export type DeliveryMessage = Readonly<{
  record: OutgoingRecord;
  subscription: Subscription;
  /** Counts the attempts of this record from 1. */
  attempt: number;
  /** The time of this attempt, which webhook signatures carry. */
  at: Micros;
}>;

/** The outcome of an attempt. Whatever is not `delivered` or `gone` is retried (contract events §12.3). */
export type DeliveryOutcome =
  | Readonly<{ is: 'delivered'; statusCode?: number }>
  | Readonly<{
      is: 'failed';
      errorClass: DeliveryErrorClass;
      statusCode?: number;
      /** The response asked to wait for this long. */
      retryAfterMs?: number;
      /** The beginning of the response, at most 1 KiB. */
      body?: string;
    }>
  /** The receiver wants no more messages. */
  | Readonly<{ is: 'gone'; statusCode: number }>;

export type DeliveryErrorClass =
  | ErrorClass
  /** The status of a response was not a success. */
  | 'http_status'
  | 'connection_error'
  | 'tls_error'
  /** The address is not one that a target may have. */
  | 'address_refused'
  /** The consumer returned the message, or let its lease expire. */
  | 'nacked'
  | 'lease_expired';

/**
 * Sends records to the targets of subscriptions. A record that was not reported as delivered may still have arrived.
 */
export interface DeliveryTarget {
  /** Makes one attempt and never rejects for a fault of the target. Errors: the reason of an aborted signal; defects. */
  send(message: DeliveryMessage, signal: AbortSignal): Promise<DeliveryOutcome>;

  /** Closes the connections; attempts in flight fail. */
  close(): Promise<void>;
}
