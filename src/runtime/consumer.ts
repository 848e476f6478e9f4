import type { Position } from '#src/ports/event-store.ts';
import type { CollectionBatch } from '#src/ports/read-store.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/** Takes part in the reading of the log, with its own checkpoint. */
export interface Consumer {
  readonly name: string;
  /** The position up to which all events are applied. */
  checkpoint: Position;
  rebuilding: boolean;
  fault: ProjectionFault | undefined;

  /** The event types that it takes; undefined for all types. */
  readonly types: ReadonlySet<string> | undefined;
  /** Gathers the changes of one event. A throw means that this consumer cannot process the event. */
  take(event: LoggedEvent): void;
  /** Discards the gathered changes. */
  discard(): void;
  /** Applies the gathered changes and moves the checkpoint to an event with this hash (see Anchor). */
  flush(checkpoint: Position, hash?: string): Promise<void>;
}

/** Writes rows: gathers the changes of a collection, to be applied alone or together with those of others. */
export interface CollectionWriter extends Consumer {
  /** Looks up what the batch depends on; may be repeated. Errors: Unavailable. */
  prepare?(): Promise<void>;
  /** Returns the gathered changes, for the caller to apply. */
  batch(checkpoint: Position, hash?: string): CollectionBatch;
  /** Reports that the changes were applied. */
  moved(checkpoint: Position): void;
}

export function faultAt(
  { name, checkpoint }: Consumer,
  event: LoggedEvent | undefined,
  cause: unknown,
): ProjectionFault {
  const position = event?.position ?? checkpoint;
  const where =
    event === undefined
      ? `after position ${position}`
      : `at position ${position} (${event.stream} revision ${event.revision}, ${event.type})`;
  return {
    projection: name,
    position,
    event: event && { stream: event.stream, revision: event.revision, type: event.type },
    message: `Projection ${name} stopped ${where}: ${described(cause)}`,
  };
}

function described(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const deeper = cause.cause === undefined ? '' : ` (${described(cause.cause)})`;
  return `${cause.name}: ${cause.message}${deeper}`;
}
