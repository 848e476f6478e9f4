import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Revision } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { Damaged } from '#src/ports/errors.ts';
import { START, type Position, type StoredEvent } from '#src/ports/event-store.ts';
import { isWellBefore } from '#src/ports/position-at.ts';
import type { EventStoreConnection } from './connection.ts';
import { readFault } from './faults.ts';
import { allRequest, backwardRequest, streamRequest } from './messages.ts';
import { eventPoint, pointOf, type Point } from './positions.ts';
import { isOurs, storedOf } from './stored.ts';

/** Errors: Unavailable; Damaged when the beginning of the stream is missing. */
export async function readStream(
  connection: EventStoreConnection,
  stream: string,
  from: Revision,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const take = (event: StoredEvent): void => {
    const due = from + events.length;
    if (event.revision !== due) {
      throw new Damaged(`${stream} lacks revision ${String(due)}: it was deleted or cut`);
    }
    events.push(event);
  };
  await each(connection, streamRequest(stream, from, limit), take, STREAM_WITHIN_MS);
  return events;
}

export async function readAt(
  connection: EventStoreConnection,
  position: Position,
): Promise<StoredEvent | undefined> {
  let found: StoredEvent | undefined;
  if (position === START) return undefined;
  await each(connection, allRequest(pointOf(position), 1), (event) => void (found = event));
  return found?.position === position ? found : undefined;
}

export async function readLast(
  connection: EventStoreConnection,
  stream: string,
): Promise<StoredEvent | undefined> {
  let last: StoredEvent | undefined;
  await each(connection, streamRequest(stream, 'end', 1), (event) => void (last = event));
  return last;
}

/** Returns the position of the last event, which may be a system event. */
export async function readEnd(connection: EventStoreConnection): Promise<Position> {
  let end = START;
  await each(connection, backwardRequest('end', 1), ({ position }) => void (end = position));
  return end;
}

/** Reads backwards from the end, page by page, because the positions of a server cannot be computed. */
export async function readPositionAt(
  connection: EventStoreConnection,
  instant: Micros,
): Promise<Position> {
  let before: Point | 'end' = 'end';
  for (;;) {
    let got = 0;
    let found: Position | undefined;
    await each(connection, backwardRequest(before, BACKWARDS), (event) => {
      got += 1;
      if (isOurs(event) && isWellBefore(event, instant)) found ??= event.position;
      before = eventPoint(event.position);
    });
    if (found !== undefined) return found;
    if (got < BACKWARDS) return START;
  }
}

/**
 * Reads page by page until there are enough events or none are left: the server includes the start and its own events.
 */
export async function readAll(
  connection: EventStoreConnection,
  after: Position,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  let from = after;
  for (;;) {
    const page = limit - events.length + SURPLUS;
    let got = 0;
    let furthest = from;
    await each(connection, allRequest(pointOf(from), page), (event) => {
      got += 1;
      if (event.position <= from) return;
      if (events.length < limit && isOurs(event)) events.push(event);
      furthest = event.position;
    });
    if (got < page || events.length >= limit) return events;
    from = furthest;
  }
}

async function each(
  connection: EventStoreConnection,
  request: ReadReq,
  visit: (event: StoredEvent) => void,
  withinMs = DEADLINE_MS,
): Promise<void> {
  try {
    const call = await connection.read(request, withinMs);
    await new Promise<void>((resolve, reject) => {
      call.on('error', reject);
      call.on('end', resolve);
      call.on('data', (response: ReadResp) => {
        try {
          const event = storedOf(response);
          if (event !== undefined) visit(event);
        } catch (error) {
          reject(readFault(error));
          call.cancel();
        }
      });
    });
  } catch (error) {
    throw readFault(error);
  }
}

/** The number of events that a search for an instant reads at once. */
const BACKWARDS = 500;

/** Room for the event at the position itself, and some system events. */
const SURPLUS = 32;

/** The time limit of a page. */
const DEADLINE_MS = 10_000;
/** A caller waits for these reads: together with an append without a response they must take less than 10 s. */
const STREAM_WITHIN_MS = 4000;
