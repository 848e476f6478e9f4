import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyValue } from '#src/ports/read-store.ts';
import { bulkInsert, type BulkInsert } from './read-bulk.ts';
import type { Layout } from './read-layout.ts';
import { prepareQuery, type Query } from './sqlite.ts';

/** All prepared statements of a target, with values in positional placeholders. */
export type TargetStatements = Readonly<
  Record<
    | 'insertSettled'
    | 'settle'
    | 'clearRecent'
    | 'updateEntry'
    | 'unsettle'
    | 'unrecent'
    | 'deleteEntries'
    | 'insertSegment'
    | 'progress',
    StatementSync
  > & {
    insertRecent: BulkInsert;
    insertEntries: BulkInsert;
    findEntry: Query<[segment: number]>;
    recent: Query<KeyValue[]>;
    settled: Query<KeyValue[]>;
  }
>;

export function prepareTarget(db: DatabaseSync, layout: Layout): TargetStatements {
  const { settled, recent, entries, segments, values, facts } = layout;
  const holes = (n: number) => Array(n).fill('?').join(', ');
  const valueHoles = holes(values.length + 2);
  const valueColumns = values.map((name) => `value_${name}`).join(', ') || 'NULL';
  const factColumns = facts.map((name) => `fact_${name} = ?`).join(', ') || 'ordinal = ordinal';

  return {
    unsettle: db.prepare(`DELETE FROM ${settled} WHERE row = ?`),
    unrecent: db.prepare(`DELETE FROM ${recent} WHERE row = ?`),
    // A full scan: rows with entries are removed too rarely for an index.
    deleteEntries: db.prepare(`DELETE FROM ${entries} WHERE row = ?`),
    insertSettled: db.prepare(`INSERT INTO ${settled} VALUES (${valueHoles})`),
    insertRecent: bulkInsert(db, `INSERT OR REPLACE INTO ${recent}`, values.length + 2),
    recent: prepareQuery(db, `SELECT ${valueColumns} FROM ${recent} WHERE row = ?`),
    settled: prepareQuery(db, `SELECT ${valueColumns} FROM ${settled} WHERE row = ?`),
    settle: db.prepare(`INSERT OR REPLACE INTO ${settled} SELECT * FROM ${recent} ORDER BY row`),
    clearRecent: db.prepare(`DELETE FROM ${recent}`),
    // FAIL, not ABORT: a failure ends the whole transaction anyway, and SQLite need not journal the statement.
    insertEntries: bulkInsert(db, `INSERT OR FAIL INTO ${entries}`, facts.length + 5),
    findEntry: prepareQuery(
      db,
      `SELECT e.segment FROM ${segments} s CROSS JOIN ${entries} e ON e.segment = s.segment
      WHERE e.at = ? AND e.born = ? AND e.row = ?`,
    ),
    updateEntry: db.prepare(`UPDATE ${entries} SET ${factColumns}
      WHERE segment = ? AND at = ? AND born = ?`),
    insertSegment: db.prepare(`INSERT INTO ${segments} VALUES (?)`),
    progress: db.prepare(`UPDATE generation SET
      hash = iif(?1 > checkpoint, ?2, hash), checkpoint = max(checkpoint, ?1),
      applied = max(applied, ?3) WHERE n = ?4`),
  };
}
