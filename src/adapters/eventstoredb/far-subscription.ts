import { setTimeout as sleep } from 'node:timers/promises';
import type { Position, StoredEvent, LogSubscription, Take } from '#src/ports/event-store.ts';
import { ThreadEnded, type Listening, type StoreThread } from './store-thread.ts';

/** Subscribes through the worker. If the worker dies, the next one continues after the last event taken. */
export function followFar(thread: StoreThread, after: Position, take: Take): LogSubscription {
  let closed = false;
  let position = after;
  let poison: { error: unknown } | undefined;
  let listening: Listening | undefined;
  let taking: Promise<void> = Promise.resolve();

  const handOver = async (events: readonly StoredEvent[]): Promise<void> => {
    const from = listening;
    try {
      if (!isOver()) await take(events);
      position = events.at(-1)?.position ?? position;
    } catch (error) {
      poison = { error };
    }
    if (isOver()) from?.stop();
    from?.taken(); // The worker waits for this, also before it ends.
  };
  const isOver = (): boolean => closed || poison !== undefined;

  const run = async (): Promise<void> => {
    while (!isOver()) {
      try {
        listening = thread.listen(position, (events) => void (taking = handOver(events)));
        await listening.ended;
      } catch (error) {
        if (!(error instanceof ThreadEnded)) throw error;
        if (!isOver()) await sleep(TRY_AGAIN_MS); // The worker died; another one is being started.
      }
      await taking;
    }
    if (poison !== undefined) throw poison.error;
  };

  const ended = run();
  ended.catch(() => {}); // Those who await `ended` see the error.
  return {
    ended,
    async close() {
      closed = true;
      listening?.stop();
      await ended.catch(() => {});
    },
  };
}

const TRY_AGAIN_MS = 50;
