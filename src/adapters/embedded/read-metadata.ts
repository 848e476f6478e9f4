import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { KeyValue, MetadataWish, Put } from '#src/ports/read-store.ts';
import { NO_LOG, type LoggedBodies } from './logged-bodies.ts';
import { born as bound, type Layout } from './read-layout.ts';
import { prepareQuery } from './sqlite.ts';

/**
 * An index on one metadata key of one generation. It is `filling` until every row was read, then `ready`; `dropped`
 * means that its entries are being deleted. Writes maintain it in either state until it is dropped.
 */
export type MetadataIndex = Readonly<{
  number: number;
  n: number;
  key: string;
  state: 'filling' | 'ready' | 'dropped';
  /** The last row that was read. */
  filled: number;
}>;

/** The tables for metadata indexes of a file of rows. */
export const METADATA_TABLES = `
  CREATE TABLE metadata_wish (collection TEXT, key TEXT, tenant TEXT, wanted INTEGER NOT NULL,
    position TEXT NOT NULL, PRIMARY KEY (collection, key, tenant)) WITHOUT ROWID;
  CREATE TABLE metadata_index (number INTEGER PRIMARY KEY, n INTEGER NOT NULL, key TEXT NOT NULL,
    state TEXT NOT NULL, filled INTEGER NOT NULL);`;

/** Records index requests; a request older than the recorded one changes nothing. */
export function noteWishes(
  db: DatabaseSync,
  wishes: readonly (MetadataWish & Readonly<{ position: Position }>)[],
): void {
  const note = db.prepare(`INSERT INTO metadata_wish VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET wanted = excluded.wanted, position = excluded.position
    WHERE excluded.position > position`);
  for (const { collection, key, tenantId, wanted, position } of wishes) {
    note.run(collection, key, tenantId, wanted ? 1 : 0, position);
  }
}

/** Returns the indexes of a generation that are not being dropped. */
export const indexesOf = (db: DatabaseSync, n: number): readonly MetadataIndex[] =>
  allOf(db, n).filter(({ state }) => state !== 'dropped');

/** The entries of a generation in its metadata indexes. */
export class MetadataRows {
  readonly #db: DatabaseSync;
  readonly #layout: Layout;
  readonly #n: number;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #scope: readonly number[];
  readonly #bodies: LoggedBodies;
  #indexes: readonly MetadataIndex[] = [];

  constructor(db: DatabaseSync, n: number, layout: Layout, bodies = NO_LOG) {
    const { metadata, scope, keys } = layout;
    this.#db = db;
    this.#layout = layout;
    this.#n = n;
    this.#bodies = bodies;
    const holes = Array(scope.length + 4)
      .fill('?')
      .join(', ');
    this.#insert = db.prepare(`INSERT OR IGNORE INTO ${metadata} VALUES (${holes})`);
    this.#remove = db.prepare(`DELETE FROM ${metadata} WHERE row = ?`);
    this.#scope = scope.map((key) => keys.indexOf(key));
    this.#indexes = indexesOf(db, n);
  }

  /** `keys` are the stored ones, in the order of the layout. */
  enter(row: number, at: ListPosition, keys: readonly KeyValue[], put: Put): void {
    if (this.#indexes.length === 0 || put.mentionsMetadata === false) return;
    const scope = this.#scope.map((i) => keys[i] ?? null);
    this.#enter(this.#indexes, row, at, scope, put.body);
  }

  leave(row: number): void {
    if (this.#indexes.length > 0) this.#remove.run(row);
  }

  /**
   * Advances the indexes one step: reads rows or deletes entries, some hundreds at a time. Returns true if work
   * remains.
   */
  step(): boolean {
    this.#decide();
    const waiting = allOf(this.#db, this.#n).filter(({ state }) => state !== 'ready');
    const [next, ...others] = waiting;
    if (next === undefined) return false;
    const done = next.state === 'filling' ? this.#fill(next) : this.#clear(next);
    return !done || others.length > 0;
  }

  #decide(): void {
    const wanted = new Set(
      prepareQuery<[string]>(
        this.#db,
        'SELECT DISTINCT key FROM metadata_wish WHERE collection = ? AND wanted = 1',
      )
        .all(this.#layout.spec.name)
        .map(([key]) => key),
    );
    for (const { number, key } of this.#indexes) {
      if (!wanted.delete(key)) setState(this.#db, number, 'dropped', 0);
    }
    const make = this.#db.prepare(
      `INSERT INTO metadata_index (n, key, state, filled) VALUES (?, ?, 'filling', 0)`,
    );
    for (const key of wanted) make.run(this.#n, key);
    this.#indexes = indexesOf(this.#db, this.#n);
  }

  #fill(index: MetadataIndex): boolean {
    const { rows, scope, logBacked } = this.#layout;
    const columns = scope.map((key) => `, key_${key}`).join('');
    const body = logBacked ? `iif(mentions_metadata, coalesce(position, row), '')` : 'body';
    const found = prepareQuery<[row: number, at: ListPosition, body: KeyValue, ...KeyValue[]]>(
      this.#db,
      `SELECT row, born, ${body}${columns} FROM ${rows} WHERE row > ? ORDER BY row LIMIT ${ROWS}`,
    ).all(index.filled);
    for (const [row, at, stored, ...keys] of found) {
      if (stored === '') continue; // It was removed, or has no metadata.
      this.#enter([index], row, at, keys, this.#body(stored));
    }
    const done = found.length < ROWS;
    const filled = found.at(-1)?.[0] ?? index.filled;
    setState(this.#db, index.number, done ? 'ready' : 'filling', filled);
    return done;
  }

  #body(stored: KeyValue): string {
    if (!this.#layout.logBacked) return String(stored);
    const [data] = this.#bodies.data([Number(stored)]);
    return this.#bodies.bodyOf(this.#layout.spec.name)(data!);
  }

  #clear({ number }: MetadataIndex): boolean {
    const { metadata } = this.#layout;
    const some = `SELECT row FROM ${metadata} WHERE number = ? LIMIT ${ROWS}`;
    const rows = prepareQuery<[number]>(this.#db, some).all(number);
    const remove = this.#db.prepare(`DELETE FROM ${metadata} WHERE row = ? AND number = ?`);
    for (const [row] of rows) remove.run(row, number);
    if (rows.length === ROWS) return false;
    this.#db.prepare('DELETE FROM metadata_index WHERE number = ?').run(number);
    return true;
  }

  #enter(
    indexes: readonly MetadataIndex[],
    row: number,
    at: ListPosition,
    scope: readonly KeyValue[],
    body: string,
  ): void {
    const metadata = metadataIn(body);
    if (metadata === undefined) return;
    const within = scope.map((value) => value ?? ABSENT);
    for (const { number, key } of indexes) {
      const text = textIn(metadata, key);
      if (text !== undefined) this.#insert.run(number, ...within, text, bound(at), row);
    }
  }
}

/** Returns the text by which a member of the metadata in a body is indexed. */
export function metadataText(body: string, key: string): string | undefined {
  const metadata = metadataIn(body);
  return metadata && textIn(metadata, key);
}

function metadataIn(body: string): MetadataMembers | undefined {
  if (!body.includes('"metadata"')) return undefined; // Parsing costs more than this search.
  return (JSON.parse(body) as { metadata?: MetadataMembers | null }).metadata ?? undefined;
}

function textIn(metadata: MetadataMembers, key: string): string | undefined {
  if (!Object.hasOwn(metadata, key)) return undefined;
  const value = metadata[key];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type MetadataMembers = Readonly<Record<string, unknown>>;

function setState(
  db: DatabaseSync,
  number: number,
  state: MetadataIndex['state'],
  filled: number,
): void {
  const set = db.prepare('UPDATE metadata_index SET state = ?, filled = ? WHERE number = ?');
  set.run(state, filled, number);
}

const allOf = (db: DatabaseSync, n: number): readonly MetadataIndex[] =>
  prepareQuery<[number, number, string, MetadataIndex['state'], number]>(
    db,
    'SELECT number, n, key, state, filled FROM metadata_index WHERE n = ? ORDER BY number',
  )
    .all(n)
    .map(([number, own, key, state, filled]) => ({ number, n: own, key, state, filled }));

/** Columns of a primary key without row ids are never null. No indexed key is an empty text: those are numbers. */
export const ABSENT = '';

/** Rows read or deleted at once: some 10 ms. */
const ROWS = 500;
