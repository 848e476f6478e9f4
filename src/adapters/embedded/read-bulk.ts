import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * Buffers rows for one table and writes many per statement: half the cost of a small row is the call. Added rows are in
 * the table after `flush`, not before.
 */
export type BulkInsert = Readonly<{
  add(...row: SQLInputValue[]): void;
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
  let waiting: SQLInputValue[] = [];
  return {
    add(...row) {
      waiting.push(...row);
      if (waiting.length < ROWS * columns) return;
      several.run(...waiting);
      waiting = [];
    },
    flush() {
      for (let i = 0; i < waiting.length; i += columns) {
        single.run(...waiting.slice(i, i + columns));
      }
      waiting = [];
    },
    discard() {
      waiting = [];
    },
  };
}

const ROWS = 16;
