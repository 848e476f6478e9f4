import type { Checkpoint } from '#src/ports/checkpoint-store.ts';
import type { ErrorClass } from '#src/ports/publisher.ts';

/** The state of one topic. Totals count from the start of this relay. */
export type LaneReport = Readonly<{
  topic: string;
  checkpoint: Checkpoint;
  /** The number of events from the checkpoint to the end of the log; those that were not read are estimated. */
  eventsBehind: number;
  /** The age of the oldest record that was read and is neither acknowledged nor dead; 0 if there is none. */
  oldestUnpublishedMs: number;
  published: number;
  attempts: number;
  failures: Readonly<Partial<Record<ErrorClass, number>>>;
  dead: number;
  /** The total duration of the successful attempts, in milliseconds. */
  publishMs: number;
  successes: number;
  /** The current failure, until an attempt succeeds. */
  trouble: Readonly<{ errorClass: ErrorClass; message: string; sinceMs: number }> | undefined;
  /** The lane has stopped permanently. */
  stopped: boolean;
}>;

export type RelayReport = Readonly<{
  lanes: readonly LaneReport[];
  circuitOpen: boolean;
}>;

export type RelayFault = Readonly<{ topic: string; message: string }>;
