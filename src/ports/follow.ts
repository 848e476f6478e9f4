import { Unavailable } from './errors.ts';
import type { EventStore, Position, LogSubscription, Take } from './event-store.ts';

/** Implements a subscription by polling, for adapters whose log can be read cheaply. */
export function follow(
  log: Pick<EventStore, 'readAll'>,
  sleep: (ms: number) => Promise<void>,
  after: Position,
  take: Take,
): LogSubscription {
  let closed = false;
  let position = after;

  const run = async (): Promise<void> => {
    while (!isClosed()) {
      const events = await log.readAll(position, PAGE).catch((error: unknown) => {
        if (error instanceof Unavailable) return []; // The log may become available again.
        throw error;
      });
      if (isClosed()) return;
      const last = events.at(-1);
      if (last === undefined) {
        await sleep(LOOK_AGAIN_MS);
      } else {
        await take(events);
        position = last.position;
      }
    }
  };
  const isClosed = (): boolean => closed;

  const ended = run();
  ended.catch(() => undefined); // Callers that await `ended` get the error.
  return {
    ended,
    async close() {
      closed = true;
      await ended.catch(() => undefined);
    },
  };
}

const PAGE = 500;
const LOOK_AGAIN_MS = 10;
