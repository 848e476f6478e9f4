import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Unavailable } from '#src/ports/errors.ts';

export type DatabaseOptions = Readonly<{
  /** The file must exist; nothing is created or changed. */
  readOnly?: boolean;
  /** FULL: a commit is on disk when it returns. NORMAL: a power cut may take the last ones, never half. */
  synchronous?: 'FULL' | 'NORMAL';
  /** Pages of 16 KiB in the write-ahead log before it is folded into the file: fewer, longer pauses. */
  checkpointPages?: number;
  /** Page cache of this connection. */
  cacheMiB?: number;
  /** Overwrite what is deleted with zeros. */
  secureDelete?: boolean;
}>;

/**
 * Opens a file of the data folder in WAL mode, creating folder and file. One connection per thread that uses
 * it; no iterator may stay open across an await, or the write-ahead log grows without bound.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): DatabaseSync {
  try {
    return opened(path, options);
  } catch (error) {
    // SQLite does not say which file it speaks of.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

function opened(path: string, options: DatabaseOptions): DatabaseSync {
  const { readOnly = false, synchronous = 'NORMAL', checkpointPages = 1000 } = options;
  if (!readOnly) createPrivately(path);
  const db = readOnly ? openForReading(path) : openFile(path);
  try {
    if (!readOnly) {
      db.exec(`PRAGMA page_size = ${String(PAGE_BYTES)}`); // Before WAL: it is fixed from then on.
      if (options.secureDelete === true) db.exec('PRAGMA secure_delete = ON');
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(`PRAGMA synchronous = ${synchronous}`);
      db.exec(`PRAGMA wal_autocheckpoint = ${String(checkpointPages)}`);
      db.exec(`PRAGMA journal_size_limit = ${String(WAL_BYTES_KEPT)}`);
    }
    db.exec(`PRAGMA cache_size = -${String((options.cacheMiB ?? CACHE_MIB) * 1024)}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const openFile = (path: string | URL, readOnly = false): DatabaseSync =>
  new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });

/**
 * On a medium that cannot be written SQLite cannot keep the index of a write-ahead log. Where there is no such log the
 * file is whole, and nobody can change it: it is read as it is.
 */
function openForReading(path: string): DatabaseSync {
  const db = openFile(path, true);
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
  } catch (error) {
    if (errorCode(error) === SQLITE_CANTOPEN && isStill(path)) {
      db.close();
      const url = pathToFileURL(path);
      url.searchParams.set('immutable', '1');
      return openFile(url, true);
    } // Whoever asks for more hears of everything else.
  }
  return db;
}

function isStill(path: string): boolean {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    return existsSync(path);
  }
}

/** Makes the folder and an empty file that no other user may read; what SQLite puts beside a file gets its mode. */
export function createPrivately(path: string): void {
  makeFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
}

/** Step by step: where the system refuses to create anything, Node's recursive form does not end. */
function makeFolder(dir: string): void {
  if (existsSync(dir) && statSync(dir).isDirectory()) return;
  if (dirname(dir) !== dir && !existsSync(dirname(dir))) makeFolder(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}

/**
 * Runs `work` in one write transaction; when it throws, nothing of it remains. Errors: Unavailable when the disk is
 * full, which passes; otherwise those of `work`.
 */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (errorCode(error) !== SQLITE_FULL) throw error;
    throw new Unavailable('No space is left on the device', { cause: error });
  }
}

/** A prepared query; its rows come as arrays in the order of the columns, which is the fastest form. */
export type Query<Row extends readonly unknown[]> = Readonly<{
  all(...values: SQLInputValue[]): Row[];
  /** To be read to its end, or left, before anything else is awaited. */
  iterate(...values: SQLInputValue[]): Iterable<Row>;
  get(...values: SQLInputValue[]): Row | undefined;
}>;

/** Prepares a query. The caller names the types of the columns: SQLite cannot. */
export function prepareQuery<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): Query<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Query<Row>;
}

/** Whether a file is not what SQLite left there. A derived file is then built anew, the log never. */
export const isDamage = (error: unknown): boolean => DAMAGE.has(errorCode(error));

/** Whether the machine failed, not the file: opening it again later may do. */
export const isOutside = (error: unknown): boolean => OUTSIDE.has(errorCode(error));

/** SQLite's primary result code, 0 for an error of another kind. */
export function errorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Deletes a file that is derived from the log, with what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.seal']) rmSync(path + suffix, { force: true });
}

export const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
const DAMAGE = new Set([SQLITE_CORRUPT, SQLITE_NOTADB]);
/** PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, AUTH. */
const OUTSIDE = new Set([3, SQLITE_BUSY, 6, 7, 8, 9, 10, 13, 14, 23]);

const PAGE_BYTES = 16_384;
const CACHE_MIB = 8;
const BUSY_TIMEOUT_MS = 5000;
const WAL_BYTES_KEPT = 128 * 1024 * 1024;
