import type { Uuid } from '#src/kernel/ids.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import type {
  Appended,
  EventStore,
  Position,
  StoredEvent,
  LogSubscription,
} from '#src/ports/event-store.ts';
import { ANSWER_WITHIN_MS, OPEN_WITHIN_MS, type EventStoreDbOptions } from './event-store-here.ts';
import { followFar } from './far-subscription.ts';
import { mustBeWhole } from './messages.ts';
import { StoreThread } from './store-thread.ts';
import { textsOf } from './worker-messages.ts';

/**
 * Opens the log in a worker thread, for the role that decides and serves: encoding an event costs more than deciding
 * it. If the thread dies, its appends are Ambiguous, and another thread replaces it. Errors: as openEventStoreDbHere.
 */
export async function openEventStoreDb(
  url: string,
  {
    ids,
    logId: newLogId = ids.next(),
    answerWithinMs = ANSWER_WITHIN_MS,
    openWithinMs = OPEN_WITHIN_MS,
  }: EventStoreDbOptions,
): Promise<EventStore> {
  const thread = new StoreThread({ url, answerWithinMs });
  const subscriptions = new Set<LogSubscription>();
  const logId = await open(thread, newLogId, openWithinMs);

  return {
    logId,
    exclusive: false,
    async append(stream, events, expected) {
      mustBeWhole(events);
      const lost = (cause: Error): Error =>
        new Ambiguous(`The thread of an append to ${stream} ended`, { cause });
      const texts = textsOf(events);
      return thread.ask<Appended>({ is: 'append', stream, expected, texts }, lost);
    },
    read: (stream, from, limit) =>
      thread.ask<readonly StoredEvent[]>({ is: 'read', stream, from, limit }),
    readAll: (after, limit) => thread.ask<readonly StoredEvent[]>({ is: 'readAll', after, limit }),
    at: (position) => thread.ask<StoredEvent | undefined>({ is: 'at', position }),
    last: (stream) => thread.ask<StoredEvent | undefined>({ is: 'last', stream }),
    end: () => thread.ask<Position>({ is: 'end' }),
    positionAt: (instant) => thread.ask<Position>({ is: 'positionAt', instant }),
    subscribe(after, take) {
      const subscription = followFar(thread, after, take);
      subscriptions.add(subscription);
      const forget = (): void => void subscriptions.delete(subscription);
      subscription.ended.then(forget, forget);
      return subscription;
    },
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await thread.close();
    },
  };
}

async function open(thread: StoreThread, newLogId: Uuid, withinMs: number): Promise<Uuid> {
  try {
    return await thread.ask<Uuid>({ is: 'open', newLogId, withinMs });
  } catch (error) {
    await thread.close(); // It would outlive the failure.
    throw error;
  }
}
