import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import { START } from '#src/ports/event-store.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { FORMAT, creation, layoutOf, specText, tablesOf, type Layout } from './read-layout.ts';
import type { ReportRebuild } from './file-check.ts';
import { METADATA_TABLES } from './read-metadata.ts';
import { prepareQuery } from './sqlite.ts';

/**
 * One build of a collection. Readers see `live`; `shadow` is being built alongside it; `retired` waits to be dropped.
 * `applied` is the highest position among its changes, which may be ahead of `checkpoint`.
 */
export type Generation = Readonly<{
  n: number;
  state: 'live' | 'shadow' | 'retired';
  checkpoint: Position;
  /** The hash of the event at the checkpoint. */
  hash: string;
  applied: Position;
  layout: Layout;
}>;

/** Binds the file to this log and format; rows of any other are dropped, and the reason is reported. */
export function claim(db: DatabaseSync, logId: Uuid, told: ReportRebuild): void {
  db.exec('CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL)');
  const about = new Map(prepareQuery<[string, string]>(db, 'SELECT key, value FROM about').all());
  const [theirs, format] = [about.get('logId'), about.get('format')];
  if (theirs === logId && format === FORMAT) return;
  if (theirs !== undefined) {
    told(theirs === logId ? 'it has the format of another release' : foreignLog(theirs));
  }
  forget(db, logId);
}

export const foreignLog = (logId: string): string => `it was built from another log (${logId})`;

export function forget(db: DatabaseSync, logId: Uuid): void {
  const tables = prepareQuery<[string]>(
    db,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ).all();
  for (const [name] of tables) db.exec(`DROP TABLE "${name}"`);
  db.exec(`
    CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE dictionary (n INTEGER PRIMARY KEY, text NOT NULL UNIQUE);
    CREATE TABLE generation (n INTEGER PRIMARY KEY, collection TEXT NOT NULL, state TEXT NOT NULL,
      spec TEXT NOT NULL, checkpoint TEXT NOT NULL, hash TEXT NOT NULL, applied TEXT NOT NULL);
    ${METADATA_TABLES}`);
  const say = db.prepare('INSERT INTO about VALUES (?, ?)');
  say.run('format', FORMAT);
  say.run('logId', logId);
}

export function generations(db: DatabaseSync): Generation[] {
  const sql = 'SELECT n, state, spec, checkpoint, hash, applied FROM generation ORDER BY n';
  return prepareQuery<[number, Generation['state'], string, Position, string, Position]>(db, sql)
    .all()
    .map(([n, state, spec, checkpoint, hash, applied]) => {
      return { n, state, checkpoint, hash, applied, layout: layoutOf(n, parseSpec(spec)) };
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
  const insert = db.prepare('INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?, ?)');
  insert.run(n, spec.name, state, specText(spec), START, '', START);
  db.exec(creation(layout));
  return { n, state, checkpoint: START, hash: '', applied: START, layout };
}

export function dropGeneration(db: DatabaseSync, { n, layout }: Generation): void {
  for (const table of tablesOf(layout)) db.exec(`DROP TABLE ${table}`);
  db.prepare('DELETE FROM metadata_index WHERE n = ?').run(n);
  db.prepare('DELETE FROM generation WHERE n = ?').run(n);
}

export function markGeneration(db: DatabaseSync, n: number, state: Generation['state']): void {
  db.prepare('UPDATE generation SET state = ? WHERE n = ?').run(state, n);
}
