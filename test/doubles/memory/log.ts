import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { isWellBefore } from '#src/ports/position-at.ts';
import {
  START,
  type Appended,
  type NewEvent,
  type Position,
  type StoredEvent,
} from '#src/ports/event-store.ts';

/** Events in memory: what the disk is to the embedded adapter. */
export class MemoryLog {
  readonly id: Uuid;
  readonly #all: StoredEvent[] = [];
  readonly #streams = new Map<string, StoredEvent[]>();

  constructor(id: Uuid = '00000000-0000-7000-8000-000000000000' as Uuid) {
    this.id = id;
  }

  /** The revision of the last event of a stream. */
  revision(stream: string): Revision {
    return this.#streams.get(stream)?.at(-1)?.revision ?? NONE;
  }

  /** Undefined when the expected revision does not fit, and these events are not the ones after it. */
  append(stream: string, events: readonly NewEvent[], expected: Revision): Appended | undefined {
    const stored = this.#streams.get(stream) ?? [];
    if (stored.length - 1 !== expected) return repeated(stored, events, expected);

    this.#streams.set(stream, stored);
    for (const { id, type, data, metadata } of events) {
      const revision = stored.length;
      const position = positionOf(this.#all.length);
      const event = { id, type, data, metadata, stream, revision, position };
      stored.push(event);
      this.#all.push(event);
    }
    return placeOf(stored.at(-1));
  }

  read(stream: string, from: Revision, limit: number): readonly StoredEvent[] {
    return this.#streams.get(stream)?.slice(Math.max(from, 0), Math.max(from, 0) + limit) ?? [];
  }

  at(position: Position): StoredEvent | undefined {
    return this.#all.find((event) => event.position === position);
  }

  last(stream: string): StoredEvent | undefined {
    return this.#streams.get(stream)?.at(-1);
  }

  end(): Position {
    return this.#all.at(-1)?.position ?? START;
  }

  positionAt(instant: Micros): Position {
    return this.#all.findLast((event) => isWellBefore(event, instant))?.position ?? START;
  }

  readAll(after: Position, limit: number): readonly StoredEvent[] {
    const from = after === '' ? 0 : Number(after) / STRIDE;
    return this.#all.slice(from, from + limit);
  }
}

function repeated(
  stored: readonly StoredEvent[],
  events: readonly NewEvent[],
  expected: Revision,
): Appended | undefined {
  const run = stored.slice(expected + 1, expected + 1 + events.length);
  const same = run.length === events.length && run.every(({ id }, n) => id === events[n]?.id);
  return same ? placeOf(run.at(-1)) : undefined;
}

function placeOf(event: StoredEvent | undefined): Appended | undefined {
  return event && { revision: event.revision, position: event.position };
}

/** Positions leave gaps on purpose: whoever computes with them is found out here. */
const positionOf = (index: number): Position =>
  String((index + 1) * STRIDE).padStart(16, '0') as Position;
const STRIDE = 64;
