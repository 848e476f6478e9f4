import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { generations, type Generation } from './read-catalog.ts';
import { FORMAT, READ_FILE, specText, type Layout } from './read-layout.ts';
import { isDamage, openDatabase, prepareQuery } from './sqlite.ts';

/** One thing a file holds: what names it, and all that is said of it. */
export type Item = readonly [name: string, text: string];

/** What a collection shows to readers, apart from how it is laid out. */
export type CollectionDump = Readonly<{
  spec: CollectionSpec;
  /** Up to here the log is in it. */
  checkpoint: Position;
  items: () => Iterable<Item>;
}>;

export type ReadDump = Readonly<{ collections: readonly CollectionDump[]; close: () => void }>;

/**
 * The live collections of read.db as they are at one moment, for comparison; beside whoever writes. Row numbers,
 * positions of writes and the dictionary are left out: they follow from how events were gathered, not from what
 * they say. Undefined when there is no file of this log and format: it would be built anew.
 */
export function openReadDump(dir: string, logId: string): ReadDump | undefined {
  const path = join(dir, READ_FILE);
  if (!existsSync(path)) return undefined;
  const db = openDatabase(path, { readOnly: true, cacheMiB: 32 });
  try {
    db.exec('BEGIN');
    const about = new Map(prepareQuery<[string, string]>(db, 'SELECT key, value FROM about').all());
    if (about.get('logId') === logId && about.get('format') === FORMAT) {
      const live = generations(db).filter(({ state }) => state === 'live');
      return {
        collections: live.map((generation) => dumpOf(db, generation)),
        close: () => db.close(),
      };
    }
  } catch (error) {
    db.close();
    if (isDamage(error)) throw error;
    return undefined; // Half made: the server that makes it has only just begun.
  }
  db.close();
  return undefined;
}

export const sameSpec = (a: CollectionSpec, b: CollectionSpec): boolean =>
  specText(a) === specText(b);

const dumpOf = (db: DatabaseSync, { layout, checkpoint }: Generation): CollectionDump => ({
  spec: layout.spec,
  checkpoint,
  *items() {
    yield* rows(db, layout);
    if (layout.spec.entries !== undefined) yield* entries(db, layout);
  },
});

function* rows(db: DatabaseSync, layout: Layout): Iterable<Item> {
  const { keys, values, interned } = layout;
  const columns = [
    ...keys.map((key) =>
      interned.has(key)
        ? `(SELECT text FROM dictionary WHERE n = r.key_${key}) AS ${key}`
        : `r.key_${key} AS ${key}`,
    ),
    ...values.map((value) => `iif(c.row IS NULL, s.value_${value}, c.value_${value}) AS ${value}`),
  ];
  const select = db.prepare(
    `SELECT r.id, r.born, r.body${columns.map((column) => `, ${column}`).join('')}
     FROM ${layout.rows} r LEFT JOIN ${layout.settled} s USING (row)
     LEFT JOIN ${layout.recent} c USING (row) ORDER BY r.id`,
  );
  for (const row of select.iterate()) yield [`row ${String(row['id'])}`, JSON.stringify(row)];
}

function* entries(db: DatabaseSync, layout: Layout): Iterable<Item> {
  const facts = layout.facts.map((fact) => `, e.fact_${fact} AS ${fact}`).join('');
  const select = db.prepare(
    `SELECT r.id, d.text AS at, e.born, e.ordinal${facts} FROM ${layout.entries} e
     JOIN ${layout.rows} r USING (row) JOIN dictionary d ON d.n = e.at
     ORDER BY r.id, e.ordinal, d.text`,
  );
  for (const row of select.iterate()) {
    yield [`entry of ${String(row['id'])} at ${String(row['at'])}`, JSON.stringify(row)];
  }
}
