import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import type { KeyValue, Put } from '#src/ports/read-store.ts';
import { formatPosition } from './log.ts';
import { bulkInsert, type BulkInsert } from './read-bulk.ts';
import { decodeId, encodeId } from './read-encoding.ts';
import { born as bound, type Layout } from './read-layout.ts';
import { rowHead, selectRow, type RowHead, type RowTable } from './read-rows.ts';
import { prepareQuery, type Query } from './sqlite.ts';

/**
 * Rows with the position of an event instead of a body. A row is numbered by the position of its first event where that
 * is free, and its position is stored only where it differs from the number. `mentions_metadata` is 1 if the body may
 * contain metadata: a filter on metadata reads no other bodies.
 *
 * New rows are written many at a time. Ids of new records ascend, because they are UUIDs of version 7: only one that
 * does not is looked up.
 */
export class LogBackedRows implements RowTable {
  readonly #layout: Layout;
  readonly #insert: BulkInsert;
  readonly #replace: StatementSync;
  readonly #bury: StatementSync;
  readonly #find: ReturnType<typeof selectRow>;
  readonly #position: Query<[position: number]>;
  #last: number;
  #highestId: string;

  constructor(db: DatabaseSync, layout: Layout) {
    const { rows, keys } = layout;
    const list = (after = '') => keys.map((name) => `, key_${name}${after}`).join('');
    this.#layout = layout;
    this.#insert = bulkInsert(
      db,
      `INSERT OR FAIL INTO ${rows} (row, id, born, position${list()}, mentions_metadata)`,
      keys.length + 5,
    );
    this.#replace = db.prepare(`UPDATE ${rows} SET position = nullif(?, row), later = ?
      ${list(' = ?')}, mentions_metadata = ? WHERE row = ?`);
    this.#bury = db.prepare(`INSERT INTO ${rows} (row, id, born, position, mentions_metadata)
      VALUES (?1, ?2, 0, nullif(?3, ?1), 0) ON CONFLICT (id) DO UPDATE SET born = 0,
        position = nullif(?3, row), later = NULL${list(' = NULL')}, mentions_metadata = 0`);
    this.#find = selectRow(db, layout);
    this.#position = prepareQuery(db, `SELECT coalesce(position, row) FROM ${rows} WHERE id = ?`);
    const last = prepareQuery<[number | null]>(db, `SELECT max(row) FROM ${rows}`);
    this.#last = last.get()?.[0] ?? 0;
    const highest = prepareQuery<[unknown]>(db, `SELECT id FROM ${rows} ORDER BY id DESC LIMIT 1`);
    const [id] = highest.get() ?? [];
    this.#highestId = id instanceof Uint8Array ? decodeId(layout, id) : ''; // Bytes sort after texts.
  }

  insert(put: Put, position: Position, keys: readonly KeyValue[]): number | undefined {
    const id = encodeId(this.#layout, put.id);
    if (!this.#ascends(put.id, id) && this.find(put.id) !== undefined) return undefined;
    const at = Number(position);
    const row = this.#nextRow(at);
    const columns = [row, id, bound(put.born), at === row ? null : at];
    for (const key of keys) columns.push(key);
    columns.push(mentionsMetadata(put));
    this.#insert.add(columns);
    return row;
  }

  find(id: string): RowHead | undefined {
    this.#insert.flush();
    return rowHead(this.#find.get(encodeId(this.#layout, id)));
  }

  replace(row: number, put: Put, { position, later, keys }: Parameters<RowTable['replace']>[2]) {
    this.#replace.run(Number(position), later, ...keys, mentionsMetadata(put), row);
  }

  bury(id: string, position: Position): void {
    const stored = encodeId(this.#layout, id);
    this.#ascends(id, stored);
    this.#insert.flush();
    const at = Number(position);
    this.#bury.run(this.#nextRow(at), stored, at);
  }

  position(id: string): Position | undefined {
    this.#insert.flush();
    const [position] = this.#position.get(encodeId(this.#layout, id)) ?? [];
    return position === undefined ? undefined : formatPosition(position);
  }

  flush(): void {
    this.#insert.flush();
  }

  /** Returns whether no row can have this id yet, and takes it as seen. */
  #ascends(id: string, stored: string | Uint8Array): boolean {
    if (typeof stored === 'string' || id <= this.#highestId) return false;
    this.#highestId = id;
    return true;
  }

  #nextRow(position: number): number {
    this.#last = Math.max(this.#last + 1, position);
    return this.#last;
  }
}

const mentionsMetadata = (put: Put): number =>
  (put.mentionsMetadata ?? put.body.includes('metadata')) ? 1 : 0;
