import { backup } from 'node:sqlite';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { openLogFile } from './log-file.ts';
import { logFile } from './log.ts';
import { createPrivately, inTransaction, openDatabase, prepareQuery } from './sqlite.ts';

/**
 * Copies the log of a folder as of one moment into another folder, by the store's own backup, while writers continue.
 * Returns what was copied. Errors: NoLog, and SQLite's when the copy cannot be written.
 */
export async function copyLog(
  from: string,
  to: string,
  onProgress: (donePages: number, pages: number) => void,
): Promise<Readonly<{ logId: Uuid; events: number }>> {
  const source = openLogFile(from);
  try {
    source.db.exec('BEGIN'); // Fixes one state of the log: without it, every commit would restart the copy.
    const events = source.last();
    createPrivately(logFile(to));
    await backup(source.db, logFile(to), {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
      },
    });
    source.db.exec('COMMIT');
    return { logId: source.logId, events };
  } finally {
    source.close();
  }
}

/** Returns the position in the log of an event of a journal; undefined when there is no such event. */
export function numberOf(dir: string, journal: string, revision: Revision): number | undefined {
  const { db, close } = openLogFile(dir);
  const select = prepareQuery<[number]>(
    db,
    'SELECT position FROM events JOIN streams USING (stream) WHERE name = ? AND revision = ?',
  );
  const number = select.get(journal, revision)?.[0];
  close();
  return number;
}

/**
 * Removes everything recorded after an event. The rest becomes another log with a new id: cursors and tokens of the
 * longer log must not be valid for it.
 */
export function cutLog(dir: string, last: number, newLogId: Uuid): void {
  const db = openDatabase(logFile(dir), { synchronous: 'FULL' });
  try {
    inTransaction(db, () => {
      db.prepare('DELETE FROM events WHERE position > ?').run(last);
      db.exec(`DELETE FROM streams WHERE NOT EXISTS (
        SELECT 1 FROM events WHERE events.stream = streams.stream)`);
      db.prepare('UPDATE log SET id = ?').run(newLogId);
    });
  } finally {
    db.close();
  }
}

/** Folds the write-ahead log into the file, so that the one file is the whole log. */
export function foldLog(dir: string): void {
  const db = openDatabase(logFile(dir), { synchronous: 'FULL' });
  try {
    const [busy] = prepareQuery<[number]>(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get() ?? [];
    if (busy !== 0) throw new Error(`${logFile(dir)} is in use`);
  } finally {
    db.close();
  }
}

/** 16 MiB. */
const PAGES_PER_STEP = 1024;
