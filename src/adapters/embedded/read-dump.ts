import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { openDump, type DumpItem } from './dump.ts';
import { generations, type Generation } from './read-catalog.ts';
import { decodeId } from './read-encoding.ts';
import { FORMAT, isInternedFact, READ_FILE, specText, type Layout } from './read-layout.ts';
import { prepareQuery } from './sqlite.ts';

/** The content of a collection as readers see it, regardless of its layout. */
export type CollectionDump = Readonly<{
  spec: CollectionSpec;
  /** The position of the last event applied. */
  checkpoint: Position;
  items: () => Iterable<DumpItem>;
  /** Counts the items. */
  count: () => number;
}>;

export type ReadDump = Readonly<{ collections: readonly CollectionDump[]; close: () => void }>;

/**
 * Opens the live collections of read.db. Row numbers, positions of writes and the dictionary are left out: they depend
 * on how events were batched, not on their content. Undefined when there is no file of this log and format: it would be
 * rebuilt.
 */
export const openReadDump = (dir: string, logId: string): ReadDump | undefined =>
  openDump(join(dir, READ_FILE), (db) => {
    const about = new Map(prepareQuery<[string, string]>(db, 'SELECT key, value FROM about').all());
    if (about.get('logId') !== logId || about.get('format') !== FORMAT) return undefined;
    const live = generations(db).filter(({ state }) => state === 'live');
    return { collections: live.map((generation) => dumpOf(db, generation)) };
  });

export const sameSpec = (a: CollectionSpec, b: CollectionSpec): boolean =>
  specText(a) === specText(b);

const dumpOf = (db: DatabaseSync, { layout, checkpoint }: Generation): CollectionDump => ({
  spec: layout.spec,
  checkpoint,
  *items() {
    yield* rows(db, layout);
    if (layout.spec.entries !== undefined) yield* entries(db, layout);
  },
  count: () =>
    countIn(db, layout.rows) +
    (layout.spec.entries === undefined ? 0 : countIn(db, layout.entries)),
});

const countIn = (db: DatabaseSync, table: string): number =>
  prepareQuery<[number]>(db, `SELECT count(*) FROM ${table}`).get()![0];

function* rows(db: DatabaseSync, layout: Layout): Iterable<DumpItem> {
  const { keys, values, interned, logBacked } = layout;
  const columns = [
    ...keys.map((key) =>
      interned.has(key)
        ? `(SELECT text FROM dictionary WHERE n = r.key_${key}) AS "${key}"`
        : `r.key_${key} AS "${key}"`,
    ),
    ...values.map(
      (value) => `iif(c.row IS NULL, s.value_${value}, c.value_${value}) AS "${value}"`,
    ),
  ];
  const select = db.prepare(
    `SELECT r.id, r.born, ${logBacked ? 'coalesce(r.position, r.row) AS position, r.mentions_metadata' : 'r.body'}${columns.map((column) => `, ${column}`).join('')}
     FROM ${layout.rows} r LEFT JOIN ${layout.settled} s USING (row)
     LEFT JOIN ${layout.recent} c USING (row) ORDER BY r.id`,
  );
  for (const row of select.iterate()) {
    const id = decodeId(layout, row['id']);
    yield [`row ${id}`, JSON.stringify({ ...row, id })];
  }
}

function* entries(db: DatabaseSync, layout: Layout): Iterable<DumpItem> {
  const fact = (name: string) =>
    isInternedFact(layout, name)
      ? `(SELECT text FROM dictionary WHERE n = e.fact_${name})`
      : `e.fact_${name}`;
  const facts = layout.facts.map((name) => `, ${fact(name)} AS "${name}"`).join('');
  const select = db.prepare(
    `SELECT r.id, d.text AS at, e.born, e.ordinal${facts} FROM ${layout.entries} e
     JOIN ${layout.rows} r USING (row) JOIN dictionary d ON d.n = e.at
     ORDER BY r.id, e.ordinal, d.text`,
  );
  for (const row of select.iterate()) {
    const id = decodeId(layout, row['id']);
    yield [`entry of ${id} at ${String(row['at'])}`, JSON.stringify({ ...row, id })];
  }
}
