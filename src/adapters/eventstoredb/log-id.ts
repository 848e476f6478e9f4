import { systemScheduler } from '#src/adapters/system.ts';
import { NONE, parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type EventStore } from '#src/ports/event-store.ts';
import { createRetry } from '#src/ports/retry.ts';
import { LOG_STREAM } from './stored.ts';

/**
 * Reads the id of the log from the first event of its own stream, and writes that event if there is none; if several
 * processes try, one wins. Errors: Unavailable when the server cannot be reached for `withinMs`.
 */
export async function logIdOf(
  store: Pick<EventStore, 'read' | 'append'>,
  newLogId: Uuid,
  withinMs: number,
): Promise<Uuid> {
  const named = async (): Promise<Uuid> => {
    const [first] = await store.read(LOG_STREAM, 0, 1);
    if (first !== undefined) return idIn(first.data);
    const data = JSON.stringify({ logId: newLogId });
    const created = { id: newLogId, type: 'LogCreated', data, metadata: '{}' };
    await store.append(LOG_STREAM, [created], NONE);
    return named();
  };
  const retry = createRetry({
    scheduler: systemScheduler,
    backoff: BACKOFF,
    isTransient,
    withinMs,
  });
  try {
    return await retry(named);
  } catch (cause) {
    if (!isTransient(cause)) throw cause;
    throw new Unavailable('The event store cannot be reached', { cause });
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof Unavailable ||
  error instanceof Ambiguous ||
  error instanceof WrongExpectedRevision;

function idIn(data: string): Uuid {
  const { logId } = JSON.parse(data) as { logId?: unknown };
  const id = typeof logId === 'string' ? parseUuid(logId) : undefined;
  if (id === undefined) throw new Damaged(`The stream ${LOG_STREAM} does not name the log`);
  return id;
}

const BACKOFF = { firstMs: 100, maxMs: 100 };
