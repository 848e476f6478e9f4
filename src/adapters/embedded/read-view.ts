import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/domain/ids.ts';
import type { EntryListing, EntryRow, KeyValue, Listing, Row } from '#src/ports/read-store.ts';
import { layoutOf, type Layout } from './read-layout.ts';
import { parseSpec } from './read-catalog.ts';
import {
  entryWalk,
  listWalk,
  metadataIs,
  pick,
  type Indexed,
  type Walk,
  type Where,
} from './read-sql.ts';
import { walkInChunks, type Run } from './read-walk.ts';
import { prepareQuery, type Query } from './sqlite.ts';

/** The live generations as one read connection sees them, and its prepared statements. */
export class ReadView {
  logId: Uuid | undefined;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, Query<KeyValue[]>>();
  #dataVersion = -1;
  #live = new Map<string, Live>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.function('metadata_is', { deterministic: true }, metadataIs);
  }

  /** Looks again where the live rows are. To be called first in every read transaction. */
  refresh(): void {
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

  /** By generation. */
  #indexed(): ReadonlyMap<number, Indexed> {
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
    const { sql, values, shape } = pick(layout, where);
    return this.#run(sql, values).map(shape);
  }

  /** In chunks, like a walk: each row as it is when it is looked for. */
  static *getAll(
    view: () => ReadView | undefined,
    collection: string,
    { ids, where }: Readonly<{ ids: readonly string[]; where: Where }>,
  ): Generator<undefined, readonly Row[]> {
    const found: Row[] = [];
    for (const [n, id] of ids.entries()) {
      if (n > 0 && n % IDS_PER_CHUNK === 0) yield;
      found.push(...(view()?.get(collection, { ...where, id }) ?? []));
    }
    return found;
  }

  /** Walks on whichever view there is when it goes on: connection and generation may change meanwhile. */
  static list(view: () => ReadView | undefined, collection: string, listing: Listing) {
    return walkInChunks<Row>(
      () => around(view(), collection, ({ layout, indexed }) => listWalk(layout, listing, indexed)),
      listing,
    );
  }

  static listEntries(view: () => ReadView | undefined, collection: string, listing: EntryListing) {
    return walkInChunks<EntryRow>(
      () => around(view(), collection, ({ layout }) => entryWalk(layout, listing)),
      listing,
    );
  }

  live(collection: string): Live | undefined {
    return this.#live.get(collection);
  }

  run: Run = (sql, values) => this.#run(sql, values);

  #run(sql: string, values: Parameters<Run>[1]): KeyValue[][] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
      statement = prepareQuery<KeyValue[]>(this.#db, sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}

function around<Found>(
  view: ReadView | undefined,
  collection: string,
  walkOf: (live: Live) => Walk<Found>,
) {
  const live = view?.live(collection);
  if (view === undefined || live === undefined) return { run: () => [], walk: undefined };
  return { run: view.run, walk: walkOf(live) };
}

type Live = Readonly<{ n: number; spec: string; layout: Layout; indexed: Indexed }>;

const NO_INDEX: Indexed = new Map();
const STATEMENTS_KEPT = 500;
const IDS_PER_CHUNK = 250;
