import type { ListPosition } from '#src/ports/page.ts';
import { scopeOf, type CollectionSpec } from '#src/ports/read-store.ts';

/**
 * The tables of one generation of a collection in read.db.
 *
 * - `rows`: id, key columns and body. Indexed text keys repeat by the million, so they are interned: the column
 *   holds their number in `dictionary`. A row without a tenant was removed, and only its id and position remain.
 * - `settled` and `recent`: the values, which change far more often than bodies. A change goes to the small
 *   `recent` table and is moved to `settled` with thousands of others, because writing one page for one
 *   balance costs more than everything else a projection does.
 * - `entries`: thin rows clustered by (segment, at, born). A segment holds some thousand consecutive entries,
 *   so that a batch writes few pages whatever accounts it touches. Segments are filled in log order: walking
 *   them one by one is the order of `born`.
 * - `metadata`: thin rows by the text of one metadata member, kept while an index on it is requested.
 *
 * In a log-backed generation, a row has the position of its body's event instead of the body, and every column is as
 * short as it can be (read-encoding.ts).
 */
export type Layout = Readonly<{
  spec: CollectionSpec;
  rows: string;
  settled: string;
  recent: string;
  entries: string;
  segments: string;
  metadata: string;
  keys: readonly string[];
  values: readonly string[];
  facts: readonly string[];
  interned: ReadonlySet<string>;
  /** Bodies are read from the log. */
  logBacked: boolean;
  /** The keys by which every listing is filtered. */
  scope: readonly string[];
}>;

export function layoutOf(generation: number, spec: CollectionSpec): Layout {
  const n = String(generation);
  const keys = Object.keys(spec.keys);
  const interned = new Set(spec.indexes.flat().filter((key) => spec.keys[key] === 'text'));
  const values = Object.keys(spec.values ?? {});
  const facts = Object.keys(spec.entries?.facts ?? {});
  const names = { rows: `rows_${n}`, settled: `settled_${n}`, recent: `recent_${n}` };
  const thin = {
    entries: `entries_${n}`,
    segments: `segments_${n}`,
    metadata: `metadata_${n}`,
  };
  const scope = scopeOf(spec);
  const logBacked = spec.bodyFromLog === true;
  if (logBacked && values.length > 0) throw new Error(`${spec.name} has values and no bodies`);
  for (const name of [...keys, ...values, ...facts]) checkName(name);
  if (!keys.includes('tenantId')) throw new Error(`${spec.name} has no key tenantId`);
  for (const name of [...spec.indexes, ...(spec.unique ?? [])].flat()) {
    if (!(name in spec.keys)) throw new Error(`${spec.name} has no key ${name}`);
  }
  return { spec, ...names, ...thin, keys, values, facts, interned, logBacked, scope };
}

/** Returns the statements that create the tables. Text columns have no affinity: values are stored as bound. */
export function creation(layout: Layout): string {
  const { spec, rows, interned, logBacked } = layout;
  const type = (kind: string | undefined) => (kind === 'integer' ? ' INTEGER' : '');
  const key = (name: string) =>
    `, key_${name}${interned.has(name) ? ' INTEGER' : type(spec.keys[name])}`;
  const value = (name: string) => `, value_${name}${type(spec.values?.[name])}`;
  const fact = (name: string) =>
    `, fact_${name}${isInternedFact(layout, name) ? ' INTEGER' : type(spec.entries?.facts[name])}`;
  const columns = (names: readonly string[]) => names.map((name) => `key_${name}`).join(', ');
  const every = <T>(list: readonly T[], sql: (item: T, i: number) => string) =>
    list.map(sql).join('');

  // The dictionary returns integers: an index serves them only on integer columns.
  const scope = (kind: string) => every(layout.scope, (name) => `, key_${name}${kind}`);
  const values = `(row INTEGER PRIMARY KEY, position${every(layout.values, value)});`;
  return `
    CREATE TABLE ${rows} (row INTEGER PRIMARY KEY, id NOT NULL, born NOT NULL,
      position ${logBacked ? 'INTEGER' : 'NOT NULL'}, later${every(layout.keys, key)},
      ${logBacked ? 'mentions_metadata INTEGER' : 'body'} NOT NULL);
    CREATE UNIQUE INDEX ${rows}_id ON ${rows} (id);
    ${every(spec.indexes, (names, i) => `CREATE INDEX ${indexName(layout, i)} ON ${rows} (${columns(names)}, born);`)}
    ${every(spec.unique ?? [], (names, i) => `CREATE INDEX ${uniqueName(layout, i)} ON ${rows} (${columns(names)});`)}
    CREATE TABLE ${layout.settled} ${values}
    CREATE TABLE ${layout.recent} ${values}
    CREATE TABLE ${layout.entries} (segment INTEGER NOT NULL, at INTEGER NOT NULL, born NOT NULL,
      ordinal INTEGER NOT NULL, row INTEGER NOT NULL${every(layout.facts, fact)},
      PRIMARY KEY (segment, at, born)) WITHOUT ROWID;
    CREATE TABLE ${layout.segments} (segment INTEGER PRIMARY KEY);
    CREATE TABLE ${layout.metadata} (number INTEGER NOT NULL${scope(' INTEGER')},
      text NOT NULL, born NOT NULL, row INTEGER NOT NULL,
      PRIMARY KEY (number${scope('')}, text, born, row)) WITHOUT ROWID;
    CREATE INDEX ${layout.metadata}_row ON ${layout.metadata} (row);`;
}

export const tablesOf = (layout: Layout): readonly string[] => [
  layout.rows,
  layout.settled,
  layout.recent,
  layout.entries,
  layout.segments,
  layout.metadata,
];

/** Returns whether a fact is stored only where it differs from the key of its row with the same name. */
export const isSharedFact = ({ logBacked, spec }: Layout, name: string): boolean =>
  logBacked && name in spec.keys;

/** A shared fact that is null, while the key of its row is not. */
export const NO_FACT = '';

/** Returns whether a fact is stored as a number of the dictionary. */
export const isInternedFact = (layout: Layout, name: string): boolean =>
  layout.logBacked && layout.spec.entries?.facts[name] === 'text' && !isSharedFact(layout, name);

export const indexName = (layout: Layout, i: number): string => `${layout.rows}_index_${String(i)}`;
export const uniqueName = (layout: Layout, i: number): string =>
  `${layout.rows}_unique_${String(i)}`;

/** A JavaScript number is bound as a double, eight bytes in a column without affinity; an integer is shorter. */
export const born = (at: ListPosition): bigint | string =>
  typeof at === 'number' ? BigInt(at) : at;

/** Returns the inputs of a generation as text: any difference means a rebuild. */
export function specText({
  name,
  version,
  keys,
  values,
  indexes,
  unique,
  entries,
  bodyFromLog,
}: CollectionSpec) {
  return JSON.stringify({ name, version, keys, values, indexes, unique, entries, bodyFromLog });
}

/** Names enter SQL text unquoted, so they may contain only letters and digits. */
function checkName(name: string): void {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) throw new Error(`Not the name of a column: ${name}`);
}

export const READ_FILE = 'read.db';

/** Bump when the layout changes: a file of another format is rebuilt from the log. */
export const FORMAT = '3';
