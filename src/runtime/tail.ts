import type { EventStore, Position, StoredEvent, LogSubscription } from '#src/ports/event-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** Reads of the log for several consumers: one subscription delivers its end, which is then read from memory. */
export type LogTail = Pick<EventStore, 'readAll' | 'close'>;

type TailOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'subscribe'>;
  scheduler: Scheduler;
  /** Called when new events have arrived. */
  onNews: () => void;
  /** The maximum kept in memory, in events and in characters; readers that are further behind read the log. */
  eventsMax?: number;
  charactersMax?: number;
}>;

/**
 * Creates a tail. The first read that reaches the end of the log starts the subscription there. `close` ends it and
 * leaves the log open.
 */
export function createTail({
  log,
  scheduler,
  onNews,
  eventsMax = EVENTS_MAX,
  charactersMax = CHARACTERS_MAX,
}: TailOptions): LogTail {
  let window: StoredEvent[] = [];
  let characters = 0;
  /** Every event after this position is in the window or has not arrived; undefined without a subscription. */
  let from: Position | undefined;
  let subscription: LogSubscription | undefined;
  let closed = false;

  const take = (events: readonly StoredEvent[]): void => {
    window.push(...events);
    for (const event of events) characters += sizeOf(event);
    if (window.length > eventsMax || characters > charactersMax) shorten();
    onNews();
  };

  /** Shortens the window to half, so that this is rare. */
  const shorten = (): void => {
    let first = 0;
    while (window.length - first > eventsMax / 2 || characters > charactersMax / 2) {
      const dropped = window[first];
      if (dropped === undefined) break;
      from = dropped.position;
      characters -= sizeOf(dropped);
      first += 1;
    }
    window = window.slice(first);
  };

  const follow = (after: Position): void => {
    from = after;
    window = [];
    characters = 0;
    subscription = log.subscribe(after, take);
    subscription.ended.catch(async () => {
      await scheduler.sleep(PAUSE_MS);
      from = undefined; // The next read at the end tries again.
      if (!closed) onNews();
    });
  };

  return {
    async readAll(after, limit) {
      if (from !== undefined && after >= from) {
        const first = firstAfter(window, after);
        return window.slice(first, first + limit);
      }
      const events = await log.readAll(after, limit);
      if (events.length < limit && from === undefined && !closed) {
        follow(events.at(-1)?.position ?? after);
      }
      return events;
    },

    async close() {
      closed = true;
      await subscription?.close();
    },
  };
}

/** Returns the index of the first event after a position. */
function firstAfter(events: readonly StoredEvent[], after: Position): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.position > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

const sizeOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

const EVENTS_MAX = 20_000;
const CHARACTERS_MAX = 32 * 1024 * 1024;
const PAUSE_MS = 1000;
