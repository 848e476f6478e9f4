import type { Revision } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Behind } from './catch-up.ts';

/** The progress of one collection. */
export type CollectionReport = Readonly<{
  checkpoint: Position;
  /** The collection is being rebuilt, while readers see the old rows, which do not change. */
  rebuilding: boolean;
  /** The collection does not advance until the next start or rebuild. */
  stopped: boolean;
}>;

/** The report of the projector after every batch; plain data, so that it can cross threads. */
export type ProjectionReport = Readonly<{
  collections: ReadonlyMap<string, CollectionReport>;
  /** The journals whose keys entered the index with this batch, and the revision up to which they did. */
  indexed: ReadonlyMap<string, Revision>;
  /** The position that every consumer that is not stopped has reached. */
  position: Position;
  /** The end of the log was reached once since the start. */
  caughtUp: boolean;
  /** The distance of the consumer furthest behind, while it has not caught up or is rebuilt. */
  behind?: Behind | undefined;
}>;

/** Why a consumer of the log stopped. */
export type ProjectionFault = Readonly<{
  /** The name of a collection, or of the journal index. */
  projection: string;
  position: Position;
  /** The event that failed; undefined if no single event is the cause. */
  event: Readonly<{ stream: string; revision: Revision; type: string }> | undefined;
  /** Describes all of the above and the cause, for operators. */
  message: string;
}>;
