import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * Rows on their way into one table, many to a statement: half of what a small row costs is the call. What
 * was added is in the table after `flush`, and not before.
 */
export type BulkInsert = Readonly<{
  add(...row: SQLInputValue[]): void;
  flush(): void;
  /** Forgets what was added and not flushed. */
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
