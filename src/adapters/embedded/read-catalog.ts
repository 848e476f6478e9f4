import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/domain/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import { START } from '#src/ports/event-store.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { FORMAT, creation, layoutOf, specText, tablesOf, type Layout } from './read-layout.ts';
import { METADATA_TABLES } from './read-metadata.ts';
import { prepareQuery } from './sqlite.ts';

/**
 * One build of a collection. `live` is what readers see; `shadow` is being built beside it; `retired` waits
 * to be dropped. `applied` is the highest position among its changes, which may run ahead of `checkpoint`.
 */
export type Generation = Readonly<{
  n: number;
  state: 'live' | 'shadow' | 'retired';
  checkpoint: Position;
  applied: Position;
  layout: Layout;
}>;

/** Makes the file one of this log and format; whatever else it holds is dropped. */
export function claim(db: DatabaseSync, logId: Uuid): void {
  db.exec('CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL)');
  const about = new Map(prepareQuery<[string, string]>(db, 'SELECT key, value FROM about').all());
  if (about.get('logId') !== logId || about.get('format') !== FORMAT) forget(db, logId);
}

function forget(db: DatabaseSync, logId: Uuid): void {
  const tables = prepareQuery<[string]>(
    db,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ).all();
  for (const [name] of tables) db.exec(`DROP TABLE "${name}"`);
  db.exec(`
    CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE dictionary (n INTEGER PRIMARY KEY, text NOT NULL UNIQUE);
    CREATE TABLE generation (n INTEGER PRIMARY KEY, collection TEXT NOT NULL, state TEXT NOT NULL,
      spec TEXT NOT NULL, checkpoint TEXT NOT NULL, applied TEXT NOT NULL);
    ${METADATA_TABLES}`);
  const say = db.prepare('INSERT INTO about VALUES (?, ?)');
  say.run('format', FORMAT);
  say.run('logId', logId);
}

export function generations(db: DatabaseSync): Generation[] {
  const sql = 'SELECT n, state, spec, checkpoint, applied FROM generation ORDER BY n';
  return prepareQuery<[number, Generation['state'], string, Position, Position]>(db, sql)
    .all()
    .map(([n, state, spec, checkpoint, applied]) => {
      return { n, state, checkpoint, applied, layout: layoutOf(n, parseSpec(spec)) };
    });
}

export const parseSpec = (text: string): CollectionSpec => JSON.parse(text) as CollectionSpec;

export function createGeneration(
  db: DatabaseSync,
  spec: CollectionSpec,
  state: 'live' | 'shadow',
): Generation {
  const next = prepareQuery<[number]>(db, 'SELECT coalesce(max(n), 0) + 1 FROM generation');
  const n = next.get()?.[0] ?? 1;
  const layout = layoutOf(n, spec);
  const insert = db.prepare('INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?)');
  insert.run(n, spec.name, state, specText(spec), START, START);
  db.exec(creation(layout));
  return { n, state, checkpoint: START, applied: START, layout };
}

export function dropGeneration(db: DatabaseSync, { n, layout }: Generation): void {
  for (const table of tablesOf(layout)) db.exec(`DROP TABLE ${table}`);
  db.prepare('DELETE FROM metadata_index WHERE n = ?').run(n);
  db.prepare('DELETE FROM generation WHERE n = ?').run(n);
}

export function markGeneration(db: DatabaseSync, n: number, state: Generation['state']): void {
  db.prepare('UPDATE generation SET state = ? WHERE n = ?').run(state, n);
}
