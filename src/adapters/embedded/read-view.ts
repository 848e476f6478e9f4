import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Cut, Walked } from '#src/ports/page.ts';
import type {
  EntryListing,
  EntryPageListing,
  EntryRow,
  KeyValue,
  Listing,
  Row,
} from '#src/ports/read-store.ts';
import { NO_LOG, type LoggedBodies } from './logged-bodies.ts';
import { layoutOf, type Layout } from './read-layout.ts';
import { parseSpec } from './read-catalog.ts';
import {
  entryWalk,
  listWalk,
  pick,
  type BodyOfData,
  type ReadyIndexes,
  type Walk,
  type WalkOptions,
  type Where,
} from './read-sql.ts';
import { ReadSlice } from './read-slice.ts';
import { addBodyTests } from './read-tests.ts';
import type { RunStatement } from './read-stretch.ts';
import { walkInChunks, type Order } from './read-walk.ts';
import { prepareQuery, type Query } from './sqlite.ts';

/** A walk in progress, which pauses; a reason sent into the pause ends it early. */
export type Walking<Found> = Generator<undefined, Walked<Found>, Cut | undefined>;

/** The live generations as one read connection sees them, and its prepared statements. */
export class ReadView {
  logId: Uuid | undefined;
  readonly slice = new ReadSlice();
  readonly #db: DatabaseSync;
  readonly #bodies: LoggedBodies;
  readonly #statements = new Map<string, Query<KeyValue[]>>();
  #dataVersion = -1;
  #live = new Map<string, LiveGeneration>();
  /** The number of reads that still expect long bodies. */
  #wide = 0;

  /** `bodies` are those that log-backed generations do not store. */
  constructor(db: DatabaseSync, bodies = NO_LOG) {
    this.#db = db;
    this.#bodies = bodies;
    addBodyTests(db, this.slice, bodies);
  }

  /** Reloads which generations are live. Must be called first in every read transaction. */
  refresh(): void {
    this.#bodies.release();
    const version = Number(this.#run('PRAGMA data_version', [])[0]?.[0]);
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    const named = `SELECT 1 FROM sqlite_schema WHERE name = 'metadata_index'`;
    if (this.#run(named, []).length === 0) return; // The writer is about to create it.

    this.logId = this.#run(`SELECT value FROM about WHERE key = 'logId'`, [])[0]?.[0] as Uuid;
    const known = this.#live;
    const rows = this.#run(`SELECT collection, n, spec FROM generation WHERE state = 'live'`, []);
    const indexed = this.#indexed();
    this.#live = new Map(
      (rows as [string, number, string][]).map(([collection, n, spec]) => {
        const before = known.get(collection);
        const same = before?.n === n && before.spec === spec;
        const layout = same ? before.layout : layoutOf(n, parseSpec(spec));
        return [collection, { n, spec, layout, indexed: indexed.get(n) ?? NO_INDEX }];
      }),
    );
  }

  /** Returns the ready indexes by generation. */
  #indexed(): ReadonlyMap<number, ReadyIndexes> {
    const rows = this.#run(`SELECT n, key, number FROM metadata_index WHERE state = 'ready'`, []);
    const found = new Map<number, Map<string, number>>();
    for (const [n, key, number] of rows as [number, string, number][]) {
      const known = found.get(n) ?? new Map<string, number>();
      found.set(n, known.set(key, number));
    }
    return found;
  }

  get(collection: string, where: Where): readonly Row[] {
    const layout = this.#live.get(collection)?.layout;
    if (layout === undefined) return [];
    const { sql, values, body, shape } = pick(layout, where);
    return this.run.some(sql, values, body).rows.map((row) => shape(row));
  }

  /** Looks rows up in chunks, like a walk: each row is returned as of its look-up. */
  static *getAll(
    view: () => ReadView | undefined,
    collection: string,
    { ids, where }: Readonly<{ ids: readonly string[]; where: Where }>,
  ): Walking<Row> {
    const found: Row[] = [];
    for (const [n, id] of ids.entries()) {
      const cut = n > 0 && n % IDS_PER_CHUNK === 0 ? yield : undefined;
      if (cut !== undefined) return { found, ended: { cut, reached: undefined } };
      found.push(...(view()?.get(collection, { ...where, id }) ?? []));
    }
    return { found };
  }

  /** Walks on the current view at each step: connection and generation may change in between. */
  static list<Found>(
    view: () => ReadView | undefined,
    collection: string,
    listing: Listing,
    how: WalkTake<Row, Found>,
  ) {
    const { unnamed } = how;
    const walksOf = ({ layout, indexed }: LiveGeneration) => [
      listWalk(layout, listing, { indexed, unnamed }),
    ];
    const bornOf = ({ born }: Row) => born;
    return walkInChunks(() => around(view(), collection, walksOf), { ...listing, ...how, bornOf });
  }

  static listEntries<Found>(
    view: () => ReadView | undefined,
    collection: string,
    listing: EntryListing | EntryPageListing,
    how: WalkTake<EntryRow, Found>,
  ) {
    const { at, filters } = listing;
    const { unnamed } = how;
    const several = typeof at === 'string' ? [at] : at;
    const walksOf = ({ layout }: LiveGeneration) =>
      several.map((one) =>
        entryWalk(layout, { at: one, ...(filters && { filters }) }, { unnamed }),
      );
    const bornOf = ({ entryBorn }: EntryRow) => entryBorn;
    return walkInChunks(() => around(view(), collection, walksOf), { ...listing, ...how, bornOf });
  }

  live(collection: string): LiveGeneration | undefined {
    return this.#live.get(collection);
  }

  run: RunStatement = {
    all: (sql, values) => this.#run(sql, values),
    some: (sql, values, { column, logBacked, shown }) => {
      if (logBacked !== undefined) {
        const bodyOf = this.#bodies.bodyOf(logBacked);
        const rows = this.#run(sql, values);
        if (shown) return { ...this.#logged(rows, column), bodyOf };
        return this.#logged(rows, column, bodyOf);
      }
      if (this.#wide > 0) return this.#some(sql, values, column);
      const rows = this.#run(sql, values);
      let left = READ_CHARACTERS;
      for (const row of rows) left -= String(row[column]).length;
      if (left < 0) this.#wide = WIDE_READS;
      return { rows, stopped: false };
    },
  };

  /** Replaces positions in the log by the data of their events, or by the bodies made of it, some at a time. */
  #logged(rows: KeyValue[][], column: number, bodyOf?: BodyOfData) {
    let left = READ_CHARACTERS;
    for (let [from, size] = [0, FIRST_BODIES]; from < rows.length;) {
      const some = rows.slice(from, from + size);
      const data = this.#bodies.data(some.map((row) => Number(row[column])));
      for (const [n, text] of data.entries()) {
        const read = bodyOf === undefined ? text : bodyOf(text);
        some[n]![column] = read;
        left -= read.length;
      }
      from += some.length;
      if (left < 0 && from < rows.length) return { rows: rows.slice(0, from), stopped: true };
      const average = (READ_CHARACTERS - left) / from;
      size = Math.max(1, Math.min(size * 2, Math.floor(left / average)));
    }
    return { rows, stopped: false };
  }

  /** Reads row by row, which takes twice as long for short bodies but stops in time for long ones. */
  #some(sql: string, values: Parameters<RunStatement['all']>[1], bodyColumn: number) {
    this.#wide -= 1;
    const rows: KeyValue[][] = [];
    let left = READ_CHARACTERS;
    for (const row of this.#prepared(sql).iterate(...values)) {
      rows.push(row);
      left -= String(row[bodyColumn]).length;
      if (left >= 0) continue;
      this.#wide = WIDE_READS;
      return { rows, stopped: true };
    }
    return { rows, stopped: false };
  }

  #run(sql: string, values: Parameters<RunStatement['all']>[1]): KeyValue[][] {
    return this.#prepared(sql).all(...values);
  }

  #prepared(sql: string): Query<KeyValue[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
      statement = prepareQuery<KeyValue[]>(this.#db, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The part of an order that handles the rows of a walk. */
type WalkTake<Row, Found> = Pick<Order<Row, Found>, 'take' | 'sieves' | 'isFull'> &
  Pick<WalkOptions, 'unnamed'>;

function around<Row>(
  view: ReadView | undefined,
  collection: string,
  walksOf: (live: LiveGeneration) => readonly Walk<Row>[],
) {
  const live = view?.live(collection);
  if (view === undefined || live === undefined) return NOTHING;
  return { run: view.run, walks: walksOf(live), slice: view.slice };
}

type LiveGeneration = Readonly<{
  n: number;
  spec: string;
  layout: Layout;
  indexed: ReadyIndexes;
}>;

const NO_INDEX: ReadyIndexes = new Map();
const NOTHING = {
  run: { all: () => [], some: () => ({ rows: [], stopped: false }) },
  walks: [],
  slice: new ReadSlice(),
} as const;
const STATEMENTS_KEPT = 500;
/** The limit, in characters, for bodies held at once, as far as it is known before reading them. */
const READ_CHARACTERS = 8 * 1024 * 1024;
/** The number of reads that go row by row after one that found long bodies. */
const WIDE_READS = 1000;
const IDS_PER_CHUNK = 250;
/** A body has up to 900 KB; the next ones are expected to be as long as those so far. */
const FIRST_BODIES = 16;
