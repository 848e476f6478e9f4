import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { logFile } from './log.ts';
import { openDatabase, prepareQuery } from './sqlite.ts';

/** A data folder has files derived from a log, but the log is gone; the message says what to do. */
export class LostLog extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LostLog';
  }
}

/**
 * Must be called before the log of a folder is opened, which creates a missing one: a bank whose log was lost must not
 * open as an empty one. Errors: LostLog.
 */
export function mustHaveItsLog(dir: string): void {
  const path = logFile(dir);
  if (!isEmpty(path, 'SELECT 1 FROM events LIMIT 1')) return;
  const left = DERIVED.filter(([name, query]) => !isEmpty(join(dir, name), query));
  if (left.length === 0) return;
  const names = left.map(([name]) => name).join(', ');
  throw new LostLog(
    `${resolve(path)} is ${existsSync(path) ? 'empty' : 'gone'}, but ${names} beside it were made from a log with ` +
      'events. Put that log back, from a backup if need be; or move these files away to start with an empty bank.',
  );
}

/** Queries that show, for each file, that it was derived from events. */
const DERIVED: readonly (readonly [name: string, query: string])[] = [
  ['read.db', `SELECT 1 FROM generation WHERE checkpoint <> '' LIMIT 1`],
  ['index.db', `SELECT 1 FROM about WHERE checkpoint <> ''`],
  ['snapshots.db', 'SELECT 1 FROM snapshots LIMIT 1'],
  ['relay.db', `SELECT 1 FROM lanes WHERE position <> '' LIMIT 1`],
];

/** Returns true if a file is missing or has no content. One that cannot be read counts as having content. */
function isEmpty(path: string, query: string): boolean {
  if (!existsSync(path)) return true;
  const wal = `${path}-wal`;
  if (statSync(path).size === 0 && !(existsSync(wal) && statSync(wal).size > 0)) return true;
  let db: DatabaseSync | undefined;
  try {
    db = openDatabase(path, { readOnly: true });
    if (prepareQuery<[number]>(db, 'SELECT count(*) FROM sqlite_schema').get()?.[0] === 0)
      return true;
    return prepareQuery(db, query).get() === undefined;
  } catch {
    return false;
  } finally {
    db?.close();
  }
}
