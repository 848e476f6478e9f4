import type { DeliveryOutcome } from '#src/ports/delivery-target.ts';

/** The state of deliveries to push targets. Outcomes count from the start of the dispatcher. */
export type DeliveryReport = Readonly<{
  subscriptions: number;
  pending: number;
  retrying: number;
  dead: number;
  /** The number of damaged events of the log that were read. */
  damagedEvents: number;
  /** The time that the oldest unfinished delivery has been due; 0 if none is. */
  oldestDueMs: number;
  outcomes: Readonly<Record<DeliveryOutcome['is'], number>>;
}>;
