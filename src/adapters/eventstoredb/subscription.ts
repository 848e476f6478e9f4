import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position, StoredEvent, LogSubscription, Take } from '#src/ports/event-store.ts';
import { backoffMs } from '#src/ports/retry.ts';
import type { EventStoreConnection, ReadCall } from './connection.ts';
import { isHopeless, readFault } from './faults.ts';
import { subscribeRequest } from './messages.ts';
import { pointOf, type Point } from './positions.ts';
import { isOurs, storedOf } from './stored.ts';

/**
 * Follows the log over any number of calls. A broken call does not end the subscription: another one continues after
 * the last event handed over, or from a later checkpoint of the server, so that events of other applications are not
 * examined again. Repeated events are skipped, by their position.
 */
export function follow(
  connection: EventStoreConnection,
  after: Position,
  take: Take,
): LogSubscription {
  let closed = false;
  let call: ReadCall | undefined;
  const closing = new AbortController();
  const place: SubscriptionPlace = { handedOver: after, resume: pointOf(after) };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!isClosed()) {
      try {
        call = await connection.read(subscribeRequest(place.resume));
        if (isClosed()) break;
        await receive(call, place, take, isClosed, () => (failures = 0));
      } catch (error) {
        if (isClosed()) break;
        if (error instanceof TakeFailed) throw error.cause;
        if (isHopeless(error)) throw readFault(error);
      } finally {
        call?.cancel();
      }
      failures += 1;
      await sleep(backoffMs(BACKOFF, failures, Math.random()), undefined, {
        signal: closing.signal,
      }).catch(() => {});
    }
  };
  const isClosed = (): boolean => closed;

  const ended = run();
  ended.catch(() => {}); // Those who await `ended` see the error.
  return {
    ended,
    async close() {
      closed = true;
      closing.abort();
      call?.cancel();
      await ended.catch(() => {});
    },
  };
}

type SubscriptionPlace = { handedOver: Position; resume: Point | 'start' };

/** Wraps the error of a handler, which ends the subscription, not only the call. */
class TakeFailed extends Error {}

/** Hands over the events of one call until it breaks, or the subscription is closed. Errors: the call's, TakeFailed. */
async function receive(
  call: ReadCall,
  place: SubscriptionPlace,
  take: Take,
  isClosed: () => boolean,
  onAnswer: () => void,
): Promise<void> {
  let waiting: StoredEvent[] = [];
  /** Covers all queued events; it applies once they are handed over. */
  let checkpoint: Point | undefined;
  let broken: Error | undefined;
  let wake = (): void => {};
  const stop = (error: Error): void => {
    broken ??= error;
    wake();
  };
  const unconfirmed = setTimeout(() => stop(new Error('Not confirmed')), CONFIRMED_WITHIN_MS);
  call.on('error', stop);
  call.on('end', () => stop(new Error('The server ended the subscription')));
  call.on('data', (response: ReadResp) => {
    clearTimeout(unconfirmed);
    onAnswer();
    try {
      const event = storedOf(response);
      const reached = response.getCheckpoint();
      if (event !== undefined) {
        waiting.push(event);
        checkpoint = undefined;
      } else if (reached !== undefined) {
        const [commit, prepare] = [reached.getCommitPosition(), reached.getPreparePosition()];
        checkpoint = { commit, prepare };
      } else return;
      if (waiting.length >= WAITING_MAX) call.pause();
      wake();
    } catch (error) {
      stop(error as Error);
    }
  });

  try {
    for (;;) {
      if (isClosed()) return;
      if (waiting.length === 0) {
        if (checkpoint !== undefined) place.resume = checkpoint;
        checkpoint = undefined;
        if (broken !== undefined) throw broken;
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const events = waiting;
      waiting = [];
      if (call.isPaused()) call.resume();
      await handOver(events, place, take);
    }
  } finally {
    clearTimeout(unconfirmed);
  }
}

async function handOver(
  events: readonly StoredEvent[],
  place: SubscriptionPlace,
  take: Take,
): Promise<void> {
  const last = events.at(-1);
  let { handedOver } = place;
  const fresh = events.filter((event) => {
    if (event.position <= handedOver) return false; // Repeated.
    handedOver = event.position;
    return isOurs(event);
  });
  if (fresh.length > 0) {
    try {
      await take(fresh);
    } catch (cause) {
      throw new TakeFailed('The handler failed', { cause });
    }
  }
  place.handedOver = handedOver;
  if (last !== undefined) place.resume = pointOf(handedOver);
}

const BACKOFF = { firstMs: 50, maxMs: 3200 };
const WAITING_MAX = 512;

/** Beyond the calls that a connection carries, a subscription receives nothing at all. */
const CONFIRMED_WITHIN_MS = 10_000;
