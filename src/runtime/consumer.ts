import type { Position } from '#src/ports/event-store.ts';
import type { CollectionBatch } from '#src/ports/read-store.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/** Takes part in the reading of the log, with a checkpoint of its own. */
export interface Consumer {
  readonly name: string;
  /** Everything up to here is applied. */
  checkpoint: Position;
  rebuilding: boolean;
  fault: ProjectionFault | undefined;

  /** Event types it takes; undefined: all. */
  readonly types: ReadonlySet<string> | undefined;
  /** Gathers what one event changes. May throw: the event is poison to this consumer. */
  take(event: LoggedEvent): void;
  /** Forgets what was gathered. */
  discard(): void;
  /** Applies what was gathered and moves the checkpoint, to an event of this hash (see Anchor). */
  flush(checkpoint: Position, hash?: string): Promise<void>;
}

/** Writes rows: gathers what events change in a collection, to be applied alone or together with others. */
export interface CollectionWriter extends Consumer {
  /** Looks up what the batch depends on; may be repeated. Errors: Unavailable. */
  prepare?(): Promise<void>;
  /** Hands over what was gathered; the caller applies it. */
  batch(checkpoint: Position, hash?: string): CollectionBatch;
  /** It was applied. */
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
