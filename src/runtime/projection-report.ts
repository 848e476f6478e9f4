import type { Revision } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Behind } from './catch-up.ts';

/** How far one collection has come. */
export type CollectionReport = Readonly<{
  checkpoint: Position;
  /** It is rebuilt beside the live rows, which stand still meanwhile. */
  rebuilding: boolean;
  /** It goes no further until the next start or rebuild. */
  stopped: boolean;
}>;

/** What the projector says after every batch; plain data, so that it may cross threads. */
export type ProjectionReport = Readonly<{
  collections: ReadonlyMap<string, CollectionReport>;
  /** Journals whose keys entered the index with this batch, and up to which revision. */
  indexed: ReadonlyMap<string, Revision>;
  /** How far every consumer that goes on has come. */
  position: Position;
  /** Whether the end of the log was reached once since the start. */
  caughtUp: boolean;
  /** How far whoever is furthest behind has to go, while it has not caught up or is rebuilt. */
  behind?: Behind | undefined;
}>;

/** Why a consumer of the log goes no further. */
export type ProjectionFault = Readonly<{
  /** A collection, or the journal index. */
  projection: string;
  position: Position;
  /** Undefined when it was no single event. */
  event: Readonly<{ stream: string; revision: Revision; type: string }> | undefined;
  /** For people: all of the above and the cause. */
  message: string;
}>;
