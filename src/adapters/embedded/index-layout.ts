import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import { START } from '#src/ports/event-store.ts';
import type { IndexKind } from '#src/ports/journal-index.ts';
import { inTransaction, prepareQuery } from './sqlite.ts';

export const indexFile = (dir: string): string => join(dir, 'index.db');

/** Bump when stored content changes its meaning: the index is then rebuilt from the log. */
export const FORMAT = 2;
export const INDEX_OPTIONS = {
  synchronous: 'NORMAL',
  checkpointPages: 2000,
  cacheMiB: 32,
} as const;
/** The number stored for each kind; it never changes its meaning. */
export const KINDS: ReadonlyMap<IndexKind, number> = new Map([
  ['idempotency', 1],
  ['transaction', 2],
  ['open', 3],
  ['reversal', 4],
  ['group', 5],
  ['value', 6],
  ['feeDebt', 7],
]);

export function numberOf(kind: IndexKind): number {
  const number = KINDS.get(kind);
  if (number === undefined) throw new Error(`The journal index has no number for ${kind}`);
  return number;
}

export function createIndex(db: DatabaseSync, logId: Uuid): void {
  inTransaction(db, () => {
    db.exec(SCHEMA);
    db.prepare("INSERT INTO about VALUES (?, ?, ?, '', 0, 0)").run(logId, FORMAT, START);
  });
}

/** Checks that the file is the index of this log, in this program's format. */
export function isBound(db: DatabaseSync, logId: string): boolean {
  const about = prepareQuery<[string, number]>(db, 'SELECT log_id, format FROM about').get();
  return about?.[0] === logId && about[1] === FORMAT;
}

/**
 * The primary key starts with the kind, so that `list` walks only what it returns. A later entry of a key is added to
 * the earlier ones: the sum can be updated without looking them up.
 */
const SCHEMA = `
  CREATE TABLE about (
    log_id TEXT NOT NULL, format INTEGER NOT NULL, checkpoint TEXT NOT NULL, hash TEXT NOT NULL,
    sum_a INTEGER NOT NULL, sum_b INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE journals (
    journal INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, reached INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    kind INTEGER NOT NULL, journal INTEGER NOT NULL, key ANY NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (kind, journal, key, revision)
  ) STRICT, WITHOUT ROWID;
`;
