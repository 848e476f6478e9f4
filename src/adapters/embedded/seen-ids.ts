import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#src/ports/clock.ts';
import type { SeenIds } from '#src/ports/seen-ids.ts';
import { prepareQuery } from './sqlite.ts';

/**
 * Keeps ids in a table of the caller's own database, on the caller's connection: inside a transaction of the caller,
 * `remember` is part of it, so effect and id are durable together or not at all. Ids are kept for `keepMs`, which must
 * be at least the retention of the topics.
 */
export function createSqliteSeenIds(
  db: DatabaseSync,
  { clock, keepMs }: Readonly<{ clock: Clock; keepMs: number }>,
): SeenIds<boolean> {
  db.exec(SCHEMA);
  const select = prepareQuery<[number]>(db, 'SELECT 1 FROM quipu_seen_ids WHERE id = ?');
  const insert = db.prepare('INSERT INTO quipu_seen_ids VALUES (?, ?) ON CONFLICT DO NOTHING');
  const prune = db.prepare(`
    DELETE FROM quipu_seen_ids WHERE id IN
    (SELECT id FROM quipu_seen_ids WHERE at_ms < ? ORDER BY at_ms LIMIT ${PRUNED_AT_ONCE})`);
  let inserted = 0;

  return {
    has: (id) => select.get(id) !== undefined,
    remember(id) {
      const nowMs = Math.floor(clock.now() / 1000);
      const { changes } = insert.run(id, nowMs);
      inserted += 1;
      if (inserted % PRUNE_EVERY === 0) prune.run(nowMs - keepMs);
      return changes === 1;
    },
  };
}

/**
 * Keeps the last version of each balance in a table of the caller's database. `advance` returns false for a version that
 * is not later than the last one: its event tells nothing new.
 */
export function createBalanceVersions(
  db: DatabaseSync,
): Readonly<{ advance(balanceId: string, version: number): boolean }> {
  db.exec(VERSIONS);
  const upsert = db.prepare(`
    INSERT INTO quipu_balance_versions VALUES (?, ?) ON CONFLICT (id) DO UPDATE
    SET version = excluded.version WHERE excluded.version > version`);
  return { advance: (balanceId, version) => upsert.run(balanceId, version).changes === 1 };
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS quipu_seen_ids (id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS quipu_seen_ids_by_time ON quipu_seen_ids (at_ms);
`;
const VERSIONS = `
  CREATE TABLE IF NOT EXISTS quipu_balance_versions (id TEXT PRIMARY KEY, version INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
`;
const PRUNE_EVERY = 1000;
/** More than are inserted between two prunes, so that the table does not grow. */
const PRUNED_AT_ONCE = 2000;
