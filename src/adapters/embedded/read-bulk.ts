import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * Buffers rows for one table and writes many per statement: half the cost of a small row is the call. Added rows are in
 * the table after `flush`, not before.
 */
export type BulkInsert = Readonly<{
  add(row: readonly SQLInputValue[]): void;
  flush(): void;
  /** Drops rows that were added but not flushed. */
  discard(): void;
}>;

/** `insert` is the statement up to VALUES, `after` the rest of it; every row has `columns` values. */
export function bulkInsert(
  db: DatabaseSync,
  insert: string,
  columns: number,
  after = '',
): BulkInsert {
  const one = `(${Array(columns).fill('?').join(', ')})`;
  const single = db.prepare(`${insert} VALUES ${one} ${after}`);
  const several = db.prepare(`${insert} VALUES ${Array(ROWS).fill(one).join(', ')} ${after}`);
  const waiting = Array<SQLInputValue>(ROWS * columns).fill(null);
  let count = 0;
  return {
    add(row) {
      for (let n = 0; n < columns; n += 1) waiting[count + n] = row[n]!;
      count += columns;
      if (count < waiting.length) return;
      count = 0;
      several.run(...waiting);
    },
    flush() {
      const end = count;
      count = 0;
      for (let i = 0; i < end; i += columns) single.run(...waiting.slice(i, i + columns));
    },
    discard() {
      count = 0;
    },
  };
}

const ROWS = 64;
