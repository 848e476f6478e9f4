import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { dirname } from 'node:path';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { isNearlyFull } from './disk-space.ts';
import { UNKNOWN_FORMAT } from './folder-fault.ts';
import { isReadable, LOG_FORMAT } from './log.ts';
import { errorCode, inTransaction, openDatabase, prepareQuery, SQLITE_FULL } from './sqlite.ts';

/** The settings of the worker; `newLogId` becomes the id of the log if it has none yet. */
export type CommitWorkerData = Readonly<{ path: string; newLogId: Uuid }>;

/** One append. `texts` holds id, type, data and metadata of each event in turn: the cheapest form to transfer. */
export type AppendRequest = Readonly<{
  number: number;
  stream: string;
  expected: Revision;
  texts: readonly string[];
}>;
export type CommitRequest = readonly AppendRequest[] | 'close';

/** The outcome of an append: the position of its last event, or the revision it conflicts with. */
export type AppendOutcome = Readonly<
  { number: number } & ({ revision: Revision; position: number } | { actual: Revision })
>;
export type CommitAnswer =
  | 'ready'
  | readonly AppendOutcome[]
  /** The disk is full, which may pass; `written` says whether these appends may have been written. */
  | Readonly<{ full: readonly number[]; written: 'nothing' | 'maybe' }>
  /** Commits have stopped for good; `written` is `maybe` only if the commit itself failed. */
  | Readonly<{ failed: Error; written: 'nothing' | 'maybe' }>;

const port = parentPort;
if (port === null) throw new Error('The commit worker runs in a worker thread');
const { path, newLogId } = workerData as CommitWorkerData;

/** 8 MiB. A commit may have to wait for a checkpoint; the log only grows, so few pages repeat. */
const CHECKPOINT_PAGES = 512;
/** Only the last pages of the table and of each journal's part of its index are written again. */
const CACHE_MIB = 8;
const db = openDatabase(path, {
  synchronous: 'FULL',
  checkpointPages: CHECKPOINT_PAGES,
  cacheMiB: CACHE_MIB,
});
inTransaction(db, createLog);

const insertStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
const selectHead = prepareQuery<[key: number, revision: Revision]>(
  db,
  `SELECT stream, (SELECT max(revision) FROM events e WHERE e.stream = s.stream)
   FROM streams s WHERE name = ?`,
);
const selectRun = prepareQuery<[id: string, position: number]>(
  db,
  'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
);

const selectEnd = prepareQuery<[number]>(db, 'SELECT coalesce(max(position), 0) FROM events');
/** The last position assigned. */
let last = selectEnd.get()?.[0] ?? 0;

/** `key` is the stream's number in the file, 0 while it has none; the cache evicts the oldest. */
type StreamHead = { key: number; revision: Revision };
const heads = new Map<string, StreamHead>();
const HEADS_MAX = 100_000;

/** Appends that arrive while a commit is being flushed share the next one. */
const EVENTS_PER_COMMIT = 8192;

let broken = false;

port.on('message', (first: CommitRequest) => {
  const waiting: AppendRequest[] = [];
  let closing = false;
  let next: CommitRequest | undefined = first;
  let events = 0;
  while (next !== undefined) {
    if (next === 'close') closing = true;
    else {
      for (const request of next) {
        waiting.push(request);
        events += request.texts.length / 4;
      }
    }
    if (closing || events >= EVENTS_PER_COMMIT) break;
    next = (receiveMessageOnPort(port) as { message: CommitRequest } | undefined)?.message;
  }
  if (waiting.length > 0 && !broken) commit(waiting);
  if (closing) {
    db.close();
    port.close();
  }
});
answer('ready');

/**
 * Commits all appends in one transaction, hence one flush to disk. A full disk rejects them; any other failure stops
 * this worker for good.
 */
function commit(requests: readonly AppendRequest[]): void {
  if (hasNoSpace()) {
    answer({ full: requests.map(({ number }) => number), written: 'nothing' });
    return;
  }
  let written: 'nothing' | 'maybe' = 'nothing';
  try {
    db.exec('BEGIN IMMEDIATE');
    const outcomes = requests.map(append);
    written = 'maybe';
    db.exec('COMMIT');
    answer(outcomes);
  } catch (error) {
    if (errorCode(error) === SQLITE_FULL) {
      rollBack();
      answer({ full: requests.map(({ number }) => number), written });
      return;
    }
    broken = true; // After a failed flush the page cache shows more than the disk holds: stop, never guess.
    answer({ failed: withErrorCode(error), written });
  }
}

/**
 * Checks free space at most once a second while there is some: SQLite rejects a commit that runs out in between. A full
 * disk is checked before every commit, so that writes resume as soon as `/readyz` reports that they do.
 */
function hasNoSpace(): boolean {
  const nowMs = performance.now();
  if (noSpace || nowMs - spaceSeenMs >= SPACE_EVERY_MS) {
    spaceSeenMs = nowMs;
    noSpace = isNearlyFull(dirname(path));
  }
  return noSpace;
}
let spaceSeenMs = Number.NEGATIVE_INFINITY;
let noSpace = false;
const SPACE_EVERY_MS = 1000;

/** Rolls back the transaction, so that the file is what it was before. */
function rollBack(): void {
  if (db.isTransaction) db.exec('ROLLBACK');
  heads.clear();
  last = selectEnd.get()?.[0] ?? 0;
}

function append({ number, stream, expected, texts }: AppendRequest): AppendOutcome {
  const head = headOf(stream);
  if (head.revision !== expected) {
    const position = positionIfRepeated(head, expected, texts);
    if (position === undefined) return { number, actual: head.revision };
    return { number, revision: expected + texts.length / 4, position };
  }

  if (head.key === 0) head.key = Number(insertStream.run(stream).lastInsertRowid);
  for (let at = 0; at < texts.length; at += 4) {
    last += 1;
    head.revision += 1;
    insertEvent.run(last, head.key, head.revision, ...texts.slice(at, at + 4));
  }
  return { number, revision: head.revision, position: last };
}

/** Returns the position of the last event if exactly these events already follow `expected`. */
function positionIfRepeated(
  head: StreamHead,
  expected: Revision,
  texts: readonly string[],
): number | undefined {
  const count = texts.length / 4;
  if (head.revision < expected + count) return undefined;
  const run = selectRun.all(head.key, expected, count);
  return run.every(([id], n) => id === texts[n * 4]) ? run.at(-1)?.[1] : undefined;
}

function headOf(stream: string): StreamHead {
  const known = heads.get(stream);
  if (known !== undefined) return known;

  const found = selectHead.get(stream);
  const head = { key: found?.[0] ?? 0, revision: found?.[1] ?? NONE };
  if (heads.size >= HEADS_MAX) heads.delete(heads.keys().next().value ?? '');
  heads.set(stream, head);
  return head;
}

function createLog(): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS log (id TEXT NOT NULL, format INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS streams (
      stream INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE IF NOT EXISTS events (
      position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL,
      id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
      UNIQUE (stream, revision)
    ) STRICT;
  `);
  const log = prepareQuery<[format: number]>(db, 'SELECT format FROM log').get();
  if (log === undefined) db.prepare('INSERT INTO log VALUES (?, ?)').run(newLogId, LOG_FORMAT);
  else if (!isReadable(log[0])) {
    const message = `${path} has format ${log[0]}, this program knows ${LOG_FORMAT}`;
    throw Object.assign(new Error(message), { code: UNKNOWN_FORMAT });
  } else if (log[0] !== LOG_FORMAT) {
    db.prepare('UPDATE log SET format = ?').run(LOG_FORMAT); // Before the first event that an older release misreads.
  }
}

/** Puts SQLite's error code into the error's texts, because only these cross to the other thread. */
function withErrorCode(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = 'errcode' in error ? ` (SQLite ${String(error.errcode)})` : '';
  return new Error(error.message + code, { cause: error });
}

function answer(message: CommitAnswer): void {
  port?.postMessage(message);
}
