import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { EntrySum, IndexRow } from './entry-sum.ts';
import { errorCode, prepareQuery } from './sqlite.ts';

/** Buffers rows for the index and writes many per statement, each counted in the sum exactly once. */
export type IndexEntries = Readonly<{
  add(row: IndexRow, sum: EntrySum): void;
  /** Writes the added rows. */
  flush(sum: EntrySum): void;
  /** Removes every row of a key. */
  remove(key: Omit<IndexRow, 'revision'>, sum: EntrySum): void;
  /** Drops rows that were added but not written. */
  discard(): void;
}>;

export function indexEntries(db: DatabaseSync): IndexEntries {
  const several = db.prepare(
    `INSERT INTO entries VALUES ${Array(ROWS).fill('(?, ?, ?, ?)').join(', ')}`,
  );
  const single = db.prepare('INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?)');
  const removal = prepareQuery<[number]>(
    db,
    'DELETE FROM entries WHERE kind = ? AND journal = ? AND key = ? RETURNING revision',
  );
  const values = Array<SQLInputValue>(ROWS * 4).fill(null);
  let waiting: IndexRow[] = [];

  const writeOne = (row: IndexRow, sum: EntrySum): void => {
    const { changes } = single.run(row.kind, row.journal, row.key, row.revision);
    if (changes === 1) sum.add(row); // Otherwise the row existed already.
  };
  const write = (sum: EntrySum): void => {
    const rows = waiting;
    waiting = [];
    if (rows.length < ROWS) {
      for (const row of rows) writeOne(row, sum);
      return;
    }
    let at = 0;
    for (const { kind, journal, key, revision } of rows) {
      values[at] = kind;
      values[at + 1] = journal;
      values[at + 2] = key;
      values[at + 3] = revision;
      at += 4;
    }
    try {
      several.run(...values);
    } catch (error) {
      if (errorCode(error) !== SQLITE_CONSTRAINT) throw error;
      for (const row of rows) writeOne(row, sum); // At least one of them existed already.
      return;
    }
    for (const row of rows) sum.add(row);
  };

  return {
    add(row, sum) {
      waiting.push(row);
      if (waiting.length === ROWS) write(sum);
    },
    flush: write,
    remove(key, sum) {
      write(sum);
      for (const [revision] of removal.all(key.kind, key.journal, key.key)) {
        sum.remove({ ...key, revision });
      }
    },
    discard() {
      waiting = [];
    },
  };
}

const ROWS = 64;
const SQLITE_CONSTRAINT = 19;
