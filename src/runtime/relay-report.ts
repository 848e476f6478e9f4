import type { Checkpoint } from '#src/ports/checkpoint-store.ts';
import type { ErrorClass } from '#src/ports/publisher.ts';

/** How one topic is doing. Totals count from the start of this relay. */
export type LaneReport = Readonly<{
  topic: string;
  checkpoint: Checkpoint;
  /** At least so many events of the log are not worked off: those that were read already. */
  eventsBehind: number;
  /** Age of the oldest record that is read and neither acknowledged nor dead; 0 when there is none. */
  oldestUnpublishedMs: number;
  published: number;
  attempts: number;
  failures: Readonly<Partial<Record<ErrorClass, number>>>;
  dead: number;
  /** Of the attempts that succeeded, together. */
  publishMs: number;
  successes: number;
  /** Until an attempt succeeds. */
  trouble: Readonly<{ errorClass: ErrorClass; message: string; sinceMs: number }> | undefined;
  /** The lane stopped for good. */
  stopped: boolean;
}>;

export type RelayReport = Readonly<{
  lanes: readonly LaneReport[];
  circuitOpen: boolean;
}>;

export type RelayFault = Readonly<{ topic: string; message: string }>;
