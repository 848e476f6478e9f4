import type { SQLInputValue } from 'node:sqlite';
import type {
  Condition,
  EntryListing,
  EntryRow,
  KeyValue,
  Listing,
  Row,
  ShownRow,
} from '#src/ports/read-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import { encodeId, encodeValue, idFromText, idText } from './read-encoding.ts';
import {
  indexName,
  isInternedFact,
  isSharedFact,
  NO_FACT,
  uniqueName,
  type Layout,
} from './read-layout.ts';
import { ABSENT } from './read-metadata.ts';
import { inJson } from './read-tests.ts';

/** A piece of SQL and the values of its placeholders, in order. Names in it come only from the spec. */
export type Sql = Readonly<{ sql: string; values: readonly SQLInputValue[] }>;

export type Where = Readonly<Record<string, KeyValue>>;
/** `bodyOf` is passed for columns that have the data of an event in place of the body. */
export type Shape<Found> = (columns: readonly KeyValue[], bodyOf?: BodyOfData) => Found;
export type BodyOfData = (data: string) => string;

/**
 * A keyset walk through `walked`, restricted by an index to `bound`, in the order of `born`. `order` has %s for the
 * direction. `joined` adds what the columns and filters need and is omitted when the walk only looks for its next edge.
 */
export type Walk<Found> = Readonly<{
  walked: string;
  bound: Sql;
  born: string;
  order: string;
  joined: string;
  filters: Sql | undefined;
  /** The second column is `born`. */
  columns: string;
  body: BodyColumn;
  shape: Shape<Found>;
  /** Statement texts by their variations; walks that differ only in values share them. */
  texts?: Map<string, string>;
}>;

/**
 * The column of the body, or of its position in the log, for which `logBacked` names the collection. Rows that are only
 * shown take the data of the event as it is.
 */
export type BodyColumn = Readonly<{
  column: number;
  logBacked: string | undefined;
  shown: boolean;
}>;

/** The metadata indexes that are ready, by key. */
export type ReadyIndexes = ReadonlyMap<string, number>;
const NO_INDEXES: ReadyIndexes = new Map();

/** The rows of an `unnamed` walk are only shown, and have an empty id. */
export type WalkOptions = Readonly<{ indexed?: ReadyIndexes; unnamed?: boolean | undefined }>;

export function listWalk(
  layout: Layout,
  { where, filters = [] }: Pick<Listing, 'where' | 'filters'>,
  { indexed = NO_INDEXES, unnamed = false }: WalkOptions = {},
): Walk<Row> {
  const names = Object.keys(where);
  const i = layout.spec.indexes.findIndex((index) => sameNames(index, names));
  if (i < 0) throw new Error(`${layout.spec.name} has no index on ${names.join(', ')}`);
  const led = filters.find((filter) => 'metadata' in filter && indexed.has(filter.metadata));
  if (led !== undefined && 'metadata' in led) {
    const number = indexed.get(led.metadata) ?? 0;
    return metadataWalk(
      layout,
      { where, number, is: led.is, unnamed },
      filters.filter((one) => one !== led),
    );
  }
  const walk = plainWalk(layout, i, where, unnamed);
  if (filters.length === 0) return walk;
  return { ...walk, texts: new Map(), filters: conditions(layout, filters, []) };
}

/** Builds a walk without filters, as most are, once for all queries with the same keys. */
function plainWalk(layout: Layout, index: number, where: Where, unnamed: boolean): Walk<Row> {
  const names = Object.keys(where);
  const tested = names.map((name) => (where[name] === null ? `no ${name}` : name)).join();
  const form = unnamed ? `${tested} unnamed` : tested;
  let walks = plainWalks.get(layout);
  if (walks === undefined) plainWalks.set(layout, (walks = new Map<string, Walk<Row>>()));
  let walk = walks.get(form);
  if (walk === undefined) {
    const tests = names.map((name) => keyIs(layout, name, where[name] ?? null));
    walk = {
      walked: `${layout.rows} r INDEXED BY ${indexName(layout, index)}`,
      bound: both([LIVE, ...tests]),
      born: 'r.born',
      order: 'r.born %s',
      joined: joinValues(layout),
      filters: undefined,
      ...rowColumns(layout, unnamed),
      texts: new Map(),
    };
    walks.set(form, walk);
  }
  const values = names.map((name) => where[name] ?? null).filter((value) => value !== null);
  return { ...walk, bound: { sql: walk.bound.sql, values } };
}

const plainWalks = new WeakMap<Layout, Map<string, Walk<Row>>>();

/** Walks an index on metadata; for conditions beyond that index, the rows are read. */
function metadataWalk(
  layout: Layout,
  {
    where,
    number,
    is,
    unnamed,
  }: Readonly<{ where: Where; number: number; is: string; unnamed: boolean }>,
  filters: readonly Condition[],
): Walk<Row> {
  const { scope } = layout;
  const within = scope.map((name): Sql => {
    const value = where[name] ?? null;
    if (value === null) return { sql: `x.key_${name} = ?`, values: [ABSENT] };
    return { sql: `x.key_${name} = ${hole(layout, name)}`, values: [value] };
  });
  const others = [
    ...Object.keys(where)
      .filter((name) => !scope.includes(name))
      .map((name) => keyIs(layout, name, where[name] ?? null)),
    ...filters.map((filter) => condition(layout, filter, [])),
  ];
  return {
    walked: `${layout.metadata} x`,
    bound: both([
      { sql: 'x.number = ?', values: [number] },
      ...within,
      { sql: 'x.text = ?', values: [is] },
    ]),
    born: 'x.born',
    order: 'x.born %s',
    joined: `CROSS JOIN ${layout.rows} r ON r.row = x.row ${joinValues(layout)}`,
    filters: others.length === 0 ? undefined : both(others),
    ...rowColumns(layout, unnamed),
  };
}

export function entryWalk(
  layout: Layout,
  { at, filters }: Pick<EntryListing, 'at' | 'filters'>,
  { unnamed = false }: WalkOptions = {},
): Walk<EntryRow> {
  if (layout.spec.entries === undefined) throw new Error(`${layout.spec.name} has no entries`);
  const { columns, body, shape } = rowColumns(layout, unnamed);
  return {
    walked: `${layout.segments} s CROSS JOIN ${layout.entries} e ON e.segment = s.segment`,
    bound: { sql: 'e.at = (SELECT n FROM dictionary WHERE text = ?)', values: [at] },
    born: 'e.born',
    order: 's.segment %s, e.born %s',
    joined: `CROSS JOIN ${layout.rows} r ON r.row = e.row ${joinValues(layout)}`,
    filters: conditions(layout, filters, layout.facts),
    columns: `e.ordinal, e.born, ${columns}`,
    body: { ...body, column: body.column + 2 },
    shape: ([ordinal, entryBorn, ...row], bodyOf) =>
      Object.assign(shape(row, bodyOf), { ordinal: ordinal as number, entryBorn: entryBorn! }),
  };
}

/** Returns the statement for the one row that `where` names, by its id or by unique keys. */
export function pick(layout: Layout, where: Where): Sql & Pick<Walk<Row>, 'body' | 'shape'> {
  const names = Object.keys(where).filter((name) => name !== 'id');
  const id = where['id'] ?? null;
  const stored = id === null ? null : encodeId(layout, String(id));
  const byId: Sql[] = 'id' in where ? [{ sql: 'r.id = ?', values: [stored] }] : [];
  const tests = both([
    LIVE,
    ...byId,
    ...names.map((name) => keyIs(layout, name, where[name] ?? null)),
  ]);
  const unique = layout.spec.unique ?? [];
  const i = unique.findIndex((keys) => keys.every((key) => key in where));
  if (byId.length === 0 && i < 0) {
    throw new Error(`${names.join(', ')} do not name one row of ${layout.spec.name}`);
  }
  const index = byId.length > 0 ? `${layout.rows}_id` : uniqueName(layout, i);
  const { columns, body, shape } = rowColumns(layout);
  const from = `${layout.rows} r INDEXED BY ${index} ${joinValues(layout)}`;
  return {
    sql: `SELECT ${columns} FROM ${from} WHERE ${tests.sql} LIMIT 1`,
    values: tests.values,
    body,
    shape,
  };
}

/** Excludes the remains of removed rows. */
const LIVE: Sql = { sql: 'r.key_tenantId IS NOT NULL', values: [] };

function rowColumns(
  layout: Layout,
  unnamed = false,
): Pick<Walk<Row>, 'columns' | 'body' | 'shape'> {
  const { values: names, logBacked, spec } = layout;
  const value = (name: string) => `, iif(n.row IS NULL, o.value_${name}, n.value_${name})`;
  return {
    columns: `${unnamed ? "''" : idText(layout)}, r.born, ${logBacked ? POSITION : 'r.body'}${names.map(value).join('')}`,
    body: { column: 2, logBacked: logBacked ? spec.name : undefined, shown: unnamed },
    shape: ([id, born, body, ...found], bodyOf) =>
      bodyOf === undefined
        ? {
            id: unnamed ? '' : idFromText(layout, id as string),
            born: born!,
            body: body as string,
            values:
              names.length === 0
                ? NO_VALUES
                : Object.fromEntries(names.map((name, i) => [name, found[i] ?? null])),
          }
        : new LoggedRow(born!, body as string, bodyOf),
  };
}

const NO_VALUES = {};

/** A row that is only shown, mostly straight from the data of its event. */
class LoggedRow implements Row, ShownRow {
  readonly id = '';
  readonly born: ListPosition;
  readonly values = NO_VALUES;
  readonly data: string;
  readonly #bodyOf: BodyOfData;

  constructor(born: ListPosition, data: string, bodyOf: BodyOfData) {
    this.born = born;
    this.data = data;
    this.#bodyOf = bodyOf;
  }

  get body(): string {
    return this.#bodyOf(this.data);
  }
}

/** The position of the event that has the body of a row. */
const POSITION = 'coalesce(r.position, r.row)';

const joinValues = ({ values, recent, settled }: Layout) =>
  values.length === 0
    ? ''
    : `LEFT JOIN ${recent} n ON n.row = r.row LEFT JOIN ${settled} o ON o.row = r.row`;

function keyIs(layout: Layout, name: string, value: KeyValue): Sql {
  checkKey(layout, name);
  if (value === null) return { sql: `r.key_${name} IS NULL`, values: [] };
  const stored = encodeValue(layout, layout.spec.keys[name], value);
  return { sql: `r.key_${name} = ${hole(layout, name)}`, values: [stored] };
}

const hole = ({ interned }: Layout, name: string): string =>
  interned.has(name) ? '(SELECT n FROM dictionary WHERE text = ?)' : '?';

function conditions(
  layout: Layout,
  filters: readonly Condition[] | undefined,
  facts: readonly string[],
): Sql | undefined {
  if (filters === undefined || filters.length === 0) return undefined;
  return both(filters.map((filter) => condition(layout, filter, facts)));
}

function condition(layout: Layout, filter: Condition, facts: readonly string[]): Sql {
  if ('mentions' in filter) {
    return { sql: bodyTest(layout, 'mentions', '?'), values: [inJson(filter.mentions)] };
  }
  if ('metadata' in filter) {
    const mentioning = layout.logBacked ? 'r.mentions_metadata AND ' : '';
    const sql = `${mentioning}${bodyTest(layout, 'metadata_is', '?, ?')}`;
    return { sql, values: [filter.metadata, filter.is] };
  }
  if ('is' in filter && !facts.includes(filter.key)) return keyIs(layout, filter.key, filter.is);

  const type = facts.includes(filter.key)
    ? layout.spec.entries?.facts[filter.key]
    : layout.spec.keys[filter.key];
  const stored = (value: KeyValue) => encodeValue(layout, type, value);
  const text = column(layout, filter.key, facts);
  if ('is' in filter) {
    return filter.is === null
      ? { sql: `${text} IS NULL`, values: [] }
      : { sql: `${text} = ?`, values: [stored(filter.is)] };
  }
  if ('in' in filter) {
    const holes = filter.in.map(() => '?').join(', ');
    return { sql: `${text} IN (${holes})`, values: filter.in.map(stored) };
  }
  if ('prefix' in filter) {
    const { prefix } = filter;
    return { sql: `substr(${text}, 1, length(?)) = ?`, values: [prefix, prefix] };
  }
  const { from, to } = filter;
  return both([
    { sql: `${text} IS NOT NULL`, values: [] },
    ...(from === undefined ? [] : [{ sql: `${text} >= ?`, values: [stored(from)] }]),
    ...(to === undefined ? [] : [{ sql: `${text} <= ?`, values: [stored(to)] }]),
  ]);
}

/** Calls a function of read-tests.ts on the body of a row. */
const bodyTest = ({ logBacked, spec: { name } }: Layout, test: string, holes: string): string =>
  logBacked
    ? `logged_${test}('${name.replaceAll("'", "''")}', ${POSITION}, ${holes})`
    : `${test}(r.body, ${holes})`;

/** Returns the column of a fact or key, as its original text or an encoded instant. */
function column(layout: Layout, name: string, facts: readonly string[]): string {
  if (facts.includes(name)) {
    const fact = `e.fact_${name}`;
    if (isInternedFact(layout, name)) return `(SELECT text FROM dictionary WHERE n = ${fact})`;
    if (!isSharedFact(layout, name)) return fact;
    return `nullif(coalesce(${fact}, r.key_${name}), '${NO_FACT}')`;
  }
  checkKey(layout, name);
  const key = `r.key_${name}`;
  return layout.interned.has(name) ? `(SELECT text FROM dictionary WHERE n = ${key})` : key;
}

export function both(pieces: readonly Sql[]): Sql {
  return {
    sql: pieces.length === 0 ? 'TRUE' : pieces.map(({ sql }) => `(${sql})`).join(' AND '),
    values: pieces.flatMap(({ values }) => values),
  };
}

function checkKey({ spec }: Layout, name: string): void {
  if (!Object.hasOwn(spec.keys, name)) throw new Error(`${spec.name} has no key ${name}`);
}

const sameNames = (index: readonly string[], names: readonly string[]) =>
  index.length === names.length && index.every((name) => names.includes(name));
