import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mkdirSync } from 'node:fs';
import { errorCode, prepareQuery, SQLITE_BUSY } from './sqlite.ts';

export type FolderLock = Readonly<{ release(): void }>;

/** Another process works on the data folder; the message says which, as far as it is known. */
export class FolderLocked extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FolderLocked';
  }
}

/**
 * Takes the data folder for this process, creating it. The lock is SQLite's write lock on `lock.db`, which
 * the operating system gives back when the process ends, however it ends: no lock is ever stale. The file
 * stays. Readers are not locked out, so that the next one can tell who holds it.
 *
 * Errors: FolderLocked.
 */
export function lockFolder(dir: string): FolderLock {
  mkdirSync(dir, { recursive: true });
  const db = new DatabaseSync(join(dir, 'lock.db'), { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE');
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT)');
    db.exec('DELETE FROM holder');
    db.prepare('INSERT INTO holder VALUES (?, ?)').run(process.pid, hostname());
    db.exec('COMMIT');
    db.exec('BEGIN IMMEDIATE'); // Held until the end; whoever came in between has the folder.
  } catch (cause) {
    const holder = errorCode(cause) === SQLITE_BUSY ? holderIn(db) : undefined;
    db.close();
    if (holder === undefined) throw cause;
    const message = `The data folder ${resolve(dir)} is in use by ${holder}. `;
    throw new FolderLocked(message + 'Stop it, or set another DATA_DIR.', { cause });
  }
  return {
    release() {
      if (db.isOpen) db.close();
    },
  };
}

function holderIn(db: DatabaseSync): string {
  try {
    const [pid, host] =
      prepareQuery<[number, string]>(db, 'SELECT pid, host FROM holder').get() ?? [];
    return pid === undefined ? 'another process' : `process ${pid} on ${host}`;
  } catch {
    return 'another process'; // It has only just come and has not said who it is.
  }
}
