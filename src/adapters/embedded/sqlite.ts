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
  /** FULL: a commit is on disk when it returns. NORMAL: a power cut may lose the last commits, each as a whole. */
  synchronous?: 'FULL' | 'NORMAL';
  /** The size of a page of a new file: 16 KiB unless set. */
  pageBytes?: number;
  /** Pages in the write-ahead log before a checkpoint: more pages mean fewer, longer pauses. */
  checkpointPages?: number;
  /** The page cache of this connection, in MiB. */
  cacheMiB?: number;
  /** Overwrites deleted content with zeros. */
  secureDelete?: boolean;
  /** Creates the tables that are missing. */
  schema?: string;
}>;

/**
 * Opens a file of the data folder in WAL mode, creating folder and file. Each thread needs its own connection; no
 * iterator may stay open across an await, or the write-ahead log grows without bound.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): DatabaseSync {
  try {
    return opened(path, options);
  } catch (error) {
    // SQLite's errors do not name the file.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

function opened(path: string, options: DatabaseOptions): DatabaseSync {
  const { readOnly = false, synchronous = 'NORMAL', checkpointPages = 1000 } = options;
  const { pageBytes = PAGE_BYTES } = options;
  if (!readOnly) createPrivately(path);
  const db = readOnly ? openForReading(path) : openFile(path);
  try {
    if (!readOnly) {
      db.exec(`PRAGMA page_size = ${String(pageBytes)}`); // Before WAL: it cannot change afterwards.
      if (options.secureDelete === true) db.exec('PRAGMA secure_delete = ON');
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(`PRAGMA synchronous = ${synchronous}`);
      db.exec(`PRAGMA wal_autocheckpoint = ${String(checkpointPages)}`);
      db.exec(`PRAGMA journal_size_limit = ${String(WAL_BYTES_KEPT)}`);
    }
    db.exec(`PRAGMA cache_size = -${String((options.cacheMiB ?? CACHE_MIB) * 1024)}`);
    if (options.schema !== undefined) db.exec(options.schema);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const openFile = (path: string | URL, readOnly = false): DatabaseSync =>
  new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });

/**
 * Opens a file read-only. On a read-only medium SQLite cannot keep the index of a write-ahead log. Without such a log
 * the file is complete, and nobody can change it: it is read as immutable.
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
    } // Any other error recurs in the first real query.
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

/** Creates the folder and an empty file that no other user may read; files that SQLite adds get its mode. */
export function createPrivately(path: string): void {
  makeFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
}

/** Creates folders one by one: where the system refuses to create any, Node's recursive form hangs. */
function makeFolder(dir: string): void {
  if (existsSync(dir) && statSync(dir).isDirectory()) return;
  if (dirname(dir) !== dir && !existsSync(dirname(dir))) makeFolder(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}

/**
 * Runs `work` in one write transaction and rolls it back when it throws. Errors: Unavailable when the disk is full,
 * which may pass; otherwise those of `work`.
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

/** A prepared query; its rows are arrays in column order, which is the fastest form. */
export type Query<Row extends readonly unknown[]> = Readonly<{
  all(...values: SQLInputValue[]): Row[];
  /** Must be read to its end, or abandoned, before the next await. */
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

/** Returns true if a file is damaged. A derived file is then rebuilt, the log never. */
export const isDamage = (error: unknown): boolean => DAMAGE.has(errorCode(error));

/** Returns true if the machine failed, not the file: opening it later may succeed. */
export const isOutside = (error: unknown): boolean => OUTSIDE.has(errorCode(error));

/** Returns SQLite's primary result code, or 0 for any other error. */
export function errorCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Deletes a file that is derived from the log, with the files SQLite keeps for it. */
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
