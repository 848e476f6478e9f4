import type { Uuid } from '#src/kernel/ids.ts';
import type { Ids } from '#src/ports/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventStore, LogSubscription } from '#src/ports/event-store.ts';
import { Appends } from './appends.ts';
import { connect, type EventStoreConnection } from './connection.ts';
import { logIdOf } from './log-id.ts';
import { readAll, readAt, readEnd, readLast, readPositionAt, readStream } from './reads.ts';
import { follow } from './subscription.ts';

export type EventStoreDbOptions = Readonly<{
  /** Generates the log's id if it has none yet. */
  ids: Ids;
  /** The id to use in that case: that of the log it is to be a copy of. */
  logId?: Uuid;
  /** The time an append may take, in milliseconds, before it is rejected as Ambiguous; it may land later. */
  answerWithinMs?: number;
  /** The time to wait for the server at the start, in milliseconds. */
  openWithinMs?: number;
}>;

/**
 * Opens the log of an EventStoreDB or KurrentDB server, in this thread: for roles that read. Errors: an invalid
 * address; Unavailable when no server responds there in time.
 */
export async function openEventStoreDbHere(
  url: string,
  {
    ids,
    logId = ids.next(),
    answerWithinMs = ANSWER_WITHIN_MS,
    openWithinMs = OPEN_WITHIN_MS,
  }: EventStoreDbOptions,
): Promise<EventStore> {
  const store = reach(url, answerWithinMs);
  try {
    return { ...store, logId: await logIdOf(store, logId, openWithinMs) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the log at an address without reading its id. Sends nothing yet. */
export function reach(url: string, answerWithinMs: number): Omit<EventStore, 'logId'> {
  const connection = connect(url);
  /** Subscriptions have their own connection: one carries 100 calls, and a read beyond these waits silently. */
  let live: EventStoreConnection | undefined;
  const appends = new Appends(connection, answerWithinMs);
  const subscriptions = new Set<LogSubscription>();
  let closing: Promise<void> | undefined;

  const mustBeOpen = (): void => {
    if (closing !== undefined) throw new Unavailable('The event store is closed');
  };
  const close = async (): Promise<void> => {
    await appends.close();
    await Promise.all([...subscriptions].map((subscription) => subscription.close()));
    await Promise.all([connection.shut(), live?.shut()]);
  };
  return {
    exclusive: false,
    append: (stream, events, expected) => appends.append(stream, events, expected),
    async read(stream, from, limit) {
      mustBeOpen();
      return readStream(connection, stream, from, limit);
    },
    async readAll(after, limit) {
      mustBeOpen();
      return readAll(connection, after, limit);
    },
    async at(position) {
      mustBeOpen();
      return readAt(connection, position);
    },
    async last(stream) {
      mustBeOpen();
      return readLast(connection, stream);
    },
    async end() {
      mustBeOpen();
      return readEnd(connection);
    },
    async positionAt(instant) {
      mustBeOpen();
      return readPositionAt(connection, instant);
    },
    subscribe(after, take) {
      mustBeOpen();
      live ??= connect(url, KEEP_ALIVE_OF_SUBSCRIPTIONS_MS);
      const subscription = follow(live, after, take);
      subscriptions.add(subscription);
      const forget = (): void => void subscriptions.delete(subscription);
      subscription.ended.then(forget, forget);
      return subscription;
    },
    close: () => (closing ??= close()),
  };
}

export const ANSWER_WITHIN_MS = 5_000;
export const OPEN_WITHIN_MS = 10_000;

/** Any interval that differs from that of the other connections will do. */
const KEEP_ALIVE_OF_SUBSCRIPTIONS_MS = 11_000;
