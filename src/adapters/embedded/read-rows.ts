import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { KeyValue, Put } from '#src/ports/read-store.ts';
import { born as bound, type Layout } from './read-layout.ts';
import { prepareQuery, type Query } from './sqlite.ts';

/** A row without its keys and body. `later` are the entries that came after it, as text. */
export type RowHead = Readonly<{
  row: number;
  born: ListPosition;
  later: string | null;
  removed: boolean;
}>;

/** The table of the rows of a generation, for its writer. `keys` are the stored ones, in the order of the layout. */
export interface RowTable {
  /** Adds a row and returns its number; undefined if one with its id exists. */
  insert(put: Put, position: Position, keys: readonly KeyValue[]): number | undefined;
  find(id: string): RowHead | undefined;
  replace(
    row: number,
    put: Put,
    as: Readonly<{ position: Position; later: string | null; keys: readonly KeyValue[] }>,
  ): void;
  /** Leaves only the id and the position of a row, which need not exist. */
  bury(id: string, position: Position): void;
  /** Returns the position of the last change of a row. */
  position(id: string): Position | undefined;
  /** Writes the rows that were added. */
  flush(): void;
}

/** Opens the table of rows that have their bodies. */
export function wholeRows(db: DatabaseSync, layout: Layout): RowTable {
  const { rows, settled, recent, keys } = layout;
  const holes = Array(keys.length + 4)
    .fill('?')
    .join(', ');
  const list = (after = '') => keys.map((name) => `, key_${name}${after}`).join('');
  const insert = db.prepare(`INSERT INTO ${rows} (id, born, position${list()}, body)
    VALUES (${holes}) ON CONFLICT (id) DO NOTHING`);
  const replace = db.prepare(`UPDATE ${rows} SET position = ?, later = ?${list(' = ?')}, body = ?
    WHERE row = ?`);
  const bury = db.prepare(`INSERT INTO ${rows} (id, born, position, body) VALUES (?, 0, ?, '')
    ON CONFLICT (id) DO UPDATE SET born = 0, position = excluded.position,
      later = NULL${list(' = NULL')}, body = ''`);
  const find = selectRow(db, layout);
  const position = prepareQuery<[Position]>(
    db,
    `SELECT max(r.position, coalesce(n.position, s.position, '')) FROM ${rows} r
    LEFT JOIN ${recent} n USING (row) LEFT JOIN ${settled} s USING (row) WHERE r.id = ?`,
  );
  return {
    insert(put, at, values) {
      const { changes, lastInsertRowid } = insert.run(
        ...[put.id, bound(put.born), at, ...values, put.body],
      );
      return changes === 0 ? undefined : Number(lastInsertRowid);
    },
    find: (id) => rowHead(find.get(id)),
    replace(row, put, as) {
      replace.run(as.position, as.later, ...as.keys, put.body, row);
    },
    bury: (id, at) => void bury.run(id, at),
    position: (id) => position.get(id)?.[0],
    flush: () => undefined,
  };
}

type RowColumns = [row: number, born: ListPosition, later: string | null, removed: number];

export const selectRow = (db: DatabaseSync, { rows }: Layout): Query<RowColumns> =>
  prepareQuery(db, `SELECT row, born, later, key_tenantId IS NULL FROM ${rows} WHERE id = ?`);

export const rowHead = (columns: RowColumns | undefined): RowHead | undefined =>
  columns && { row: columns[0], born: columns[1], later: columns[2], removed: columns[3] === 1 };
