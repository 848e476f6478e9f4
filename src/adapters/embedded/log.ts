import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isIntact } from '#src/kernel/event-hash.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import { START, type EventStore, type Position, type StoredEvent } from '#src/ports/event-store.ts';
import { follow } from '#src/ports/follow.ts';
import { damaged } from '#src/ports/intact.ts';
import { isWellBefore } from '#src/ports/position-at.ts';
import { isDamage, openDatabase, prepareQuery } from './sqlite.ts';

/** The operations of the log that only read it. */
export type EmbeddedLog = Pick<
  EventStore,
  'logId' | 'read' | 'readAll' | 'at' | 'last' | 'end' | 'positionAt' | 'subscribe' | 'close'
>;

/**
 * Opens the log of a data folder for reading, once the event store has been opened on it. One per thread: it reads
 * synchronously, on the calling thread.
 *
 * Errors: Unavailable when the file cannot be read or has a format this program does not know.
 */
export function openEmbeddedLog(dir: string): EmbeddedLog {
  const reaching = readingIn(dir);
  const db = reaching(() => openDatabase(logFile(dir), { readOnly: true }));
  const [logId, format] =
    prepareQuery<[Uuid, number]>(db, 'SELECT id, format FROM log').get() ?? [];
  if (logId === undefined || !isReadable(format)) {
    db.close();
    throw new Unavailable(`${logFile(dir)} has format ${format}, this program knows ${LOG_FORMAT}`);
  }

  const columns = 'e.position, e.stream, e.revision, e.id, e.type, e.data, e.metadata';
  const selectStream = prepareQuery<LogRow>(
    db,
    `SELECT ${columns} FROM streams s JOIN events e ON e.stream = s.stream
     WHERE s.name = ? AND e.revision >= ? ORDER BY e.revision LIMIT ?`,
  );
  const selectLast = prepareQuery<LogRow>(
    db,
    `SELECT ${columns} FROM streams s JOIN events e ON e.stream = s.stream
     WHERE s.name = ? ORDER BY e.revision DESC LIMIT 1`,
  );
  const selectAll = prepareQuery<LogRow>(
    db,
    `SELECT ${columns} FROM events e WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  );
  const selectAt = prepareQuery<LogRow>(db, `SELECT ${columns} FROM events e WHERE e.position = ?`);
  const selectEnd = prepareQuery<[position: number | null]>(db, 'SELECT max(position) FROM events');
  const selectMetadata = prepareQuery<[metadata: string]>(
    db,
    'SELECT metadata FROM events WHERE position = ?',
  );
  const selectName = prepareQuery<[name: string]>(db, 'SELECT name FROM streams WHERE stream = ?');

  const names = new Map<number, string>();
  const nameOf = (stream: number): string => {
    const known = names.get(stream);
    if (known !== undefined) return known;
    const [name] = reaching(() => selectName.get(stream)) ?? [];
    if (name === undefined) {
      throw new Damaged(`${logFile(dir)} is damaged: it has no name for stream ${stream}`);
    }
    if (names.size >= NAMES_MAX) names.clear();
    names.set(stream, name);
    return name;
  };

  /** Positions and revisions count events, so a number that is skipped or repeated shows damage. Errors: Damaged. */
  const withoutGap = (rows: LogRow[], column: number, from: number): LogRow[] => {
    const gap = rows.findIndex((row, n) => row[column] !== from + n);
    if (gap === 0) {
      const what = column === POSITION ? 'position' : 'revision';
      throw new Damaged(`${logFile(dir)} is damaged: it has no event at ${what} ${from}`);
    }
    return gap === -1 ? rows : rows.slice(0, gap);
  };

  return {
    logId,
    async at(position) {
      const row = reaching(() => selectAt.get(Number(position)));
      return row && storedEvent(row, nameOf(row[1]));
    },
    async last(stream) {
      const row = reaching(() => selectLast.get(stream));
      return row && storedEvent(row, stream);
    },
    async end() {
      const [position] = reaching(() => selectEnd.get()) ?? [];
      return typeof position === 'number' ? formatPosition(position) : START;
    },
    async positionAt(instant) {
      let before = 0;
      let beyond = 1 + (reaching(() => selectEnd.get())?.[0] ?? 0);
      while (beyond - before > 1) {
        const middle = Math.floor((before + beyond) / 2);
        const [metadata = ''] = reaching(() => selectMetadata.get(middle)) ?? [];
        if (isWellBefore({ metadata }, instant)) before = middle;
        else beyond = middle;
      }
      return before === 0 ? START : formatPosition(before);
    },
    subscribe(after, take) {
      return follow(this, sleep, after, take);
    },
    async read(stream, from, limit) {
      const rows = reaching(() => selectStream.all(stream, from, limit));
      return withoutGap(rows, REVISION, from).map((row) => storedEvent(row, stream));
    },
    async readAll(after, limit) {
      const from = Number(after) + 1; // START, '', is 0.
      const rows = reaching(() => selectAll.all(Number(after), limit));
      return withoutGap(rows, POSITION, from).map((row) => storedEvent(row, nameOf(row[1])));
    },
    async close() {
      if (db.isOpen) db.close();
    },
  };
}

export const logFile = (dir: string): string => join(dir, 'log.db');

/** Format 2 is format 1 with events of schema version 2. A program that does not know a format must not touch the file. */
export const LOG_FORMAT = 2;
export const isReadable = (format = 0): boolean => format >= 1 && format <= LOG_FORMAT;

/** Formats with fixed width, so that text order is log order; 16 digits hold every whole number of a double. */
export const formatPosition = (position: number): Position =>
  String(position).padStart(16, '0') as Position;

/**
 * Returns the last event of the whole log; undefined for an empty one. It must be the last of its stream as well, or the
 * table of events has lost its end. Errors: Unavailable, Damaged.
 */
export async function newestEvent(
  dir: string,
  log: Pick<EventStore, 'readAll' | 'end' | 'last'>,
): Promise<StoredEvent | undefined> {
  const end = await log.end();
  if (end === START) return undefined;
  const [newest] = await log.readAll(formatPosition(Number(end) - 1), 1);
  if (newest === undefined) return undefined;
  if (!isIntact(newest)) {
    throw new Damaged(`${logFile(dir)} is damaged: ${damaged(newest).message}`);
  }
  if ((await log.last(newest.stream))?.position === end) return newest;
  throw new Damaged(`${logFile(dir)} is damaged: it has lost events after position ${end}`);
}

type LogRow = [
  position: number,
  stream: number,
  revision: Revision,
  id: Uuid,
  type: string,
  data: string,
  metadata: string,
];

/** The places of two columns in a row. */
const [POSITION, REVISION] = [0, 2];

const storedEvent = (
  [position, , revision, id, type, data, metadata]: LogRow,
  stream: string,
): StoredEvent => ({
  id,
  type: oneOfType(type),
  data,
  metadata,
  stream,
  revision,
  position: formatPosition(position),
});

/** Returns the same text for each event of a type: as the name of a member, a new one is looked up among all names. */
function oneOfType(type: string): string {
  const known = types.get(type);
  if (known !== undefined) return known;
  if (types.size < TYPES_MAX) types.set(type, type);
  return type;
}

const types = new Map<string, string>();

/** Errors: Damaged when SQLite finds the file malformed; Unavailable. */
const readingIn =
  (dir: string) =>
  <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      if (!isDamage(cause)) throw new Unavailable('The log cannot be read', { cause });
      throw new Damaged(`${logFile(dir)} is damaged: SQLite cannot read all of it`, { cause });
    }
  };

/** The number of types kept in memory, far above that of the events that exist. */
const TYPES_MAX = 1000;
/** The number of stream names kept in memory; beyond it, all are evicted at once. */
const NAMES_MAX = 50_000;
