import { chmodSync, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderFault, folderFault } from './folder-fault.ts';
import {
  createPrivately,
  errorCode,
  isDamage,
  prepareQuery,
  SQLITE_BUSY,
  SQLITE_FULL,
} from './sqlite.ts';

export type FolderLock = Readonly<{ release(): void }>;

/** Another process uses the data folder; the message names it if it is known. */
export class FolderLocked extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FolderLocked';
  }
}

/**
 * Locks the data folder for this process, creating it. The lock is SQLite's write lock on `lock.db`, which the
 * operating system releases however the process ends: no lock is ever stale. The file stays. Readers are not locked
 * out, so that the next process can see who holds it. From then on, no other user can read the folder and its files.
 *
 * Errors: FolderLocked, FolderFault.
 */
export function lockFolder(dir: string): FolderLock {
  const path = join(resolve(dir), LOCK_FILE);
  const db = opened(path);
  try {
    recordOwner(db);
    db.exec('BEGIN IMMEDIATE'); // Held until the end; a process that got in first has the folder.
  } catch (cause) {
    const holder = errorCode(cause) === SQLITE_BUSY ? holderIn(db) : undefined;
    db.close();
    if (holder === undefined) throw lockFault(cause, path);
    const message = `The data folder ${resolve(dir)} is in use by ${holder}. `;
    throw new FolderLocked(message + 'Stop it, or set another DATA_DIR.', { cause });
  }
  makePrivate(resolve(dir));
  return {
    release() {
      if (db.isOpen) db.close();
    },
  };
}

function opened(path: string): DatabaseSync {
  try {
    createPrivately(path);
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw folderFault(error, path);
  }
}

/** Records the lock's owner. On a full disk it stays unknown; the lock holds nevertheless. */
function recordOwner(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA journal_mode = MEMORY'); // A journal would need space, and losing this row does no harm.
    db.exec('BEGIN IMMEDIATE');
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT)');
    db.exec('DELETE FROM holder');
    db.prepare('INSERT INTO holder VALUES (?, ?)').run(process.pid, hostname());
    db.exec('COMMIT');
  } catch (error) {
    if (errorCode(error) !== SQLITE_FULL) throw error;
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** The file is not recreated: another process could hold the lock on the one that would be removed. */
function lockFault(cause: unknown, path: string): unknown {
  const fault = folderFault(cause, path);
  if (!(fault instanceof FolderFault && isDamage(cause))) return fault;
  const advice = 'It holds nothing but the lock: remove it once no Quipu runs on this folder.';
  return new FolderFault(`${fault.message} ${advice}`, false, { cause });
}

/** Makes the files private: earlier releases let everyone read them. Without permission to change that, they stay. */
function makePrivate(dir: string): void {
  const names = readdirSync(dir);
  const ours = names.filter((name) => DATA_FILE.test(name));
  const isShared = names.length > ours.length; // Others keep files here too: they need access.
  for (const path of [...(isShared ? [] : [dir]), ...ours.map((name) => join(dir, name))]) {
    try {
      const { mode } = statSync(path);
      if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
    } catch {
      // Owned by another user, or already deleted.
    }
  }
}

function holderIn(db: DatabaseSync): string {
  try {
    const [pid, host] =
      prepareQuery<[number, string]>(db, 'SELECT pid, host FROM holder').get() ?? [];
    return pid === undefined ? 'another process' : `process ${pid} on ${host}`;
  } catch {
    return 'another process'; // It has just started and has not recorded its name yet.
  }
}

const LOCK_FILE = 'lock.db';
const DATA_FILE =
  /^((lock|log|read|index|snapshots|secrets|relay|deliveries)\.db(-wal|-shm|-journal|\.seal)?|control\.sock|keys|refused(\.\d)?\.ndjson)$/;
