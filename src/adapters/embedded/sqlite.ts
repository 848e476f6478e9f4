import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

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
  const { readOnly = false, synchronous = 'NORMAL', checkpointPages = 1000 } = options;
  if (!readOnly) mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
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

/** Runs `work` in one write transaction; when it throws, nothing of it remains. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** A prepared query; its rows come as arrays in the order of the columns, which is the fastest form. */
export type Query<Row extends readonly unknown[]> = Readonly<{
  all(...values: SQLInputValue[]): Row[];
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
const SQLITE_NOTADB = 26;
const DAMAGE = new Set([SQLITE_CORRUPT, SQLITE_NOTADB]);
/** PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, AUTH. */
const OUTSIDE = new Set([3, SQLITE_BUSY, 6, 7, 8, 9, 10, 13, 14, 23]);

const PAGE_BYTES = 16_384;
const CACHE_MIB = 8;
const BUSY_TIMEOUT_MS = 5000;
const WAL_BYTES_KEPT = 128 * 1024 * 1024;
