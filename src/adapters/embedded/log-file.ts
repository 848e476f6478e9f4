import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { formatPosition, isReadable, LOG_FORMAT, logFile } from './log.ts';
import { isDamage, openDatabase, prepareQuery } from './sqlite.ts';

/** The folder does not hold a log that this program can read; the message says why. */
export class NoLog extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoLog';
  }
}

/** The log of a folder as its files hold it, for audits and copies, with or without a running server. */
export type LogFile = Readonly<{
  logId: Uuid;
  /** Returns the number of events, which are numbered from 1 without gaps. */
  last: () => number;
  /** Returns events in log order, from a number on; `stream` is '' if the file has no name for it. */
  slice: (from: number, limit: number) => readonly Numbered[];
  /** Returns the last revision of every journal, by its name. */
  ends: () => ReadonlyMap<string, Revision>;
  /** Returns one event of a journal; undefined when there is none. */
  at: (journal: string, revision: Revision) => Numbered | undefined;
  /** Returns what SQLite finds wrong with the file, such as an index that lacks events, or undefined. */
  structureFlaw: () => string | undefined;
  db: DatabaseSync;
  close: () => void;
}>;

export type Numbered = StoredEvent & Readonly<{ number: number }>;

/** Errors: NoLog. */
export function openLogFile(dir: string): LogFile {
  const path = logFile(dir);
  if (!existsSync(dir)) throw new NoLog(`There is no folder ${dir}.`);
  if (!existsSync(path)) throw new NoLog(`${dir} is not a data folder: it has no log.db.`);
  const db = readable(path, () => openDatabase(path, { readOnly: true, cacheMiB: 32 }));
  try {
    return readable(path, () => reading(path, db));
  } catch (error) {
    db.close();
    throw error;
  }
}

function reading(path: string, db: DatabaseSync): LogFile {
  const [logId, format] =
    prepareQuery<[Uuid, number]>(db, 'SELECT id, format FROM log').get() ?? [];
  if (logId === undefined || format === undefined) throw new NoLog(`${path} does not hold a log.`);
  if (!isReadable(format)) {
    const newer = format > LOG_FORMAT ? 'a newer release of Quipu' : 'another program';
    throw new NoLog(
      `${path} has format ${format}, written by ${newer}; this release reads format ${LOG_FORMAT}.`,
    );
  }
  const selectFlaw = prepareQuery<[string]>(db, 'PRAGMA integrity_check(1)');
  const selectLast = prepareQuery<[number]>(db, 'SELECT coalesce(max(position), 0) FROM events');
  const selectSlice = prepareQuery<LogFileRow>(
    db,
    `SELECT e.position, coalesce(s.name, ''), e.revision, e.id, e.type, e.data, e.metadata
     FROM events e LEFT JOIN streams s USING (stream)
     WHERE e.position >= ? ORDER BY e.position LIMIT ?`,
  );
  const selectEnds = prepareQuery<[string, Revision]>(
    db,
    'SELECT s.name, max(e.revision) FROM streams s JOIN events e USING (stream) GROUP BY s.stream',
  );
  const selectOne = prepareQuery<LogFileRow>(
    db,
    `SELECT e.position, s.name, e.revision, e.id, e.type, e.data, e.metadata
     FROM streams s JOIN events e USING (stream) WHERE s.name = ? AND e.revision = ?`,
  );
  return {
    logId,
    db,
    last: () => selectLast.get()?.[0] ?? 0,
    slice: (from, limit) => readable(path, () => selectSlice.all(from, limit)).map(eventOf),
    ends: () => new Map(readable(path, () => selectEnds.all())),
    at: (journal, revision) =>
      readable(path, () => selectOne.all(journal, revision)).map(eventOf)[0],
    structureFlaw: () => {
      const [found] = readable(path, () => selectFlaw.get()) ?? [];
      return found === 'ok' ? undefined : found;
    },
    close: () => db.close(),
  };
}

type LogFileRow = [number, string, Revision, Uuid, string, string, string];

const eventOf = ([number, stream, revision, id, type, data, metadata]: LogFileRow): Numbered => ({
  number,
  position: formatPosition(number),
  stream,
  revision,
  id,
  type,
  data,
  metadata,
});

function readable<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof NoLog) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = isDamage(cause) ? 'is damaged or not a log' : 'cannot be read';
    throw new NoLog(`${path} ${what}: ${why}.`, { cause });
  }
}
