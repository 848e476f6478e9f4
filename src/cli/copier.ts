import { systemScheduler } from '#src/adapters/system.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type EventStore, type NewEvent } from '#src/ports/event-store.ts';
import { createRetry } from '#src/ports/retry.ts';
import { appendRunsOf, numbered, type NumberedEvent } from './append-runs.ts';
import { CliError } from './command.ts';
import type { SourceItem } from './event-source.ts';

/**
 * Appends events in the order of their source. Each append waits until the one before it is durable, so that a broken
 * connection cannot change the order. Events that the target already holds are compared byte for byte. Errors: CliError
 * when the target holds other events, or cannot be reached.
 */
export function createCopier(
  target: Pick<EventStore, 'append' | 'read' | 'last'>,
  ends = new Map<string, Revision>(),
) {
  let written = 0;

  const endOf = async (journal: string): Promise<Revision> => {
    const known = ends.get(journal);
    if (known !== undefined) return known;
    const end = (await retryCopy(() => target.last(journal)))?.revision ?? NONE;
    ends.set(journal, end);
    return end;
  };

  /** Requires that the target holds exactly these events. Errors: CliError. */
  const compare = async (journal: string, events: readonly NumberedEvent[]): Promise<void> => {
    const [first] = events;
    if (first === undefined) return;
    const stored = await retryCopy(() => target.read(journal, first.revision, events.length));
    const other = events.find((event, n) => !isSame(event, stored[n]));
    if (other !== undefined) throw anotherEvent(journal, other.revision);
  };

  const append = async (journal: string, events: readonly NumberedEvent[]): Promise<void> => {
    const [first] = events;
    if (first === undefined) return;
    // Repeated at the revision it had, an append that landed unseen is acknowledged and not written again.
    const appended = await retryCopy(() => target.append(journal, events, first.revision - 1));
    ends.set(journal, appended.revision);
    written += events.length;
  };

  return {
    written: () => written,
    async take(reads: readonly SourceItem[]): Promise<void> {
      const held = new Map<string, NumberedEvent[]>();
      const fresh: SourceItem[] = [];
      for (const read of reads) {
        const { journal = '', event } = read;
        if (event.revision > (await endOf(journal))) fresh.push(read);
        else held.set(journal, [...(held.get(journal) ?? []), numbered(read)]);
      }
      for (const [journal, events] of held) await compare(journal, events);
      for (const { journal, events } of appendRunsOf(fresh)) await append(journal, events);
    },
  };
}

/** Returns whether two events are equal, byte for byte. */
export const isSame = (a: NewEvent, b: NewEvent | undefined): boolean =>
  a.id === b?.id && a.type === b.type && a.data === b.data && a.metadata === b.metadata;

export const anotherEvent = (journal: string, revision: Revision): CliError =>
  new CliError(
    `Event ${String(revision)} of ${journal} in the target differs from the folder's: the target is not a copy of it.`,
  );

/**
 * Retries work that got no response; all of it can be repeated safely. Errors: CliError when there is still no response
 * after a minute, when another process writes to the target, or when events were deleted from it.
 */
export async function retryCopy<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retry(work);
  } catch (cause) {
    if (cause instanceof WrongExpectedRevision) {
      throw new CliError(`Another process is writing to the target: ${cause.message}.`, { cause });
    }
    if (cause instanceof Damaged) throw new CliError(`${cause.message}.`, { cause });
    if (!hasNoResponse(cause)) throw cause;
    const what = `${cause.message}. Run the command again: it continues where it stopped.`;
    throw new CliError(what, { cause });
  }
}

const hasNoResponse = (error: unknown): error is Error =>
  error instanceof Unavailable || error instanceof Ambiguous;

const retry = createRetry({
  scheduler: systemScheduler,
  backoff: { firstMs: 200, maxMs: 200 },
  isTransient: hasNoResponse,
  withinMs: 60_000,
});
