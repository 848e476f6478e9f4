import type { Uuid } from '#src/kernel/ids.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type { OutgoingRecord } from './publisher.ts';

export type FeedRequest = Readonly<{
  tenantId: string;
  subscription: Pick<Subscription, 'filters' | 'startAt'>;
  /** The ce-id of an event to continue after. If the log does not yield it, the feed begins at its time. */
  lastEventId?: Uuid | undefined;
  /** Called every second; the feed ends when it resolves to false. */
  goesOn: () => Promise<boolean>;
}>;

/** Reads the events of subscriptions as they are recorded (contract events §12.4). */
export interface EventFeed {
  /**
   * Returns the records that pass the filters, in the order of the log, as lists; an empty list after a time without
   * records. Without `lastEventId`, a subscription that starts `now` gets those recorded from this call on. Ends when the
   * log is not available. Errors: TOO_MANY_REQUESTS, Unavailable; of the iteration: Damaged.
   */
  open(request: FeedRequest): Promise<AsyncIterable<readonly OutgoingRecord[]>>;
  /** Ends all that are open. */
  close(): void;
}
