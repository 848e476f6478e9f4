import { setTimeout as sleep } from 'node:timers/promises';
import { NONE, parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type EventStore } from '#src/ports/event-store.ts';
import { LOG_STREAM } from './stored.ts';

/**
 * The name of the log: what the first event of its own stream says. Whoever opens a log that has none yet writes it;
 * of several who try, one is first. Keeps trying while the server is away. Errors: Unavailable after `withinMs`.
 */
export async function logIdOf(
  store: Pick<EventStore, 'read' | 'append'>,
  newLogId: Uuid,
  withinMs: number,
): Promise<Uuid> {
  const from = performance.now();
  for (;;) {
    try {
      const [first] = await store.read(LOG_STREAM, 0, 1);
      if (first !== undefined) return told(first.data);
      const data = JSON.stringify({ logId: newLogId });
      await store.append(
        LOG_STREAM,
        [{ id: newLogId, type: 'LogCreated', data, metadata: '{}' }],
        NONE,
      );
    } catch (error) {
      const mayPass = error instanceof Unavailable || error instanceof Ambiguous;
      if (!mayPass && !(error instanceof WrongExpectedRevision)) throw error;
      if (performance.now() - from > withinMs) {
        throw new Unavailable('The event store cannot be reached', { cause: error });
      }
      await sleep(TRY_AGAIN_MS);
    }
  }
}

function told(data: string): Uuid {
  const { logId } = JSON.parse(data) as { logId?: unknown };
  const id = typeof logId === 'string' ? parseUuid(logId) : undefined;
  if (id === undefined) throw new Damaged(`The stream ${LOG_STREAM} does not name the log`);
  return id;
}

const TRY_AGAIN_MS = 100;
