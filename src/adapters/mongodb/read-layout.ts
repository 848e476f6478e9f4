import type { Document } from 'mongodb';
import type { Position } from '#src/ports/event-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { CollectionSpec, KeyValue } from '#src/ports/read-store.ts';

export type DocumentValues = Readonly<Record<string, KeyValue>>;

/**
 * A row of one generation, whole in one document. Keys and values that are null are left out. Numbers are doubles or
 * shorter, which hold every safe integer; amounts are texts.
 *
 * Entries are stored in their row, in the order of its `born`, so that a walk over them finds them by index. Entries
 * that came with a later put have another place in that walk: they are in `late`, in the order of `lateBorn`.
 */
export type StoredRow = Readonly<{
  _id: string;
  /** The position of the last change. */
  pos: Position;
  born: ListPosition;
  k: DocumentValues;
  v?: DocumentValues;
  /** JSON text. */
  body: string;
  /** The texts that metadata filters match (metadataOf). */
  m?: readonly string[];
  e?: readonly StoredEntry[];
  late?: readonly StoredEntry[];
  lateBorn?: ListPosition;
}>;

/** `b` is its place in the walk over its key, `o` its ordinal. */
export type StoredEntry = Readonly<{ at: string; o: number; b: ListPosition; f?: DocumentValues }>;

/** The remains of a removed row. Without a `pos`, every guard rejects later changes. */
export type Tombstone = Readonly<{ _id: string; gone: Position; pos?: never }>;

export type RowOrTombstone = StoredRow | Tombstone;

/** Returns the indexes of a generation: listings in their order, lookups by unique keys, entries. */
export function indexesOf({ name, keys, indexes, unique = [], entries }: CollectionSpec) {
  for (const key of Object.keys(keys)) checkName(key);
  if (!('tenantId' in keys)) throw new Error(`${name} has no key tenantId`);
  const path = (key: string): [string, 1] => {
    if (!(key in keys)) throw new Error(`${name} has no key ${key}`);
    return [`k.${key}`, 1];
  };
  const made = (pairs: readonly [string, 1][], more: Document = {}) => {
    return { key: Object.fromEntries(pairs) as Record<string, 1>, ...more };
  };
  return [
    ...indexes.map((names) => made([...names.map(path), ['born', 1]])),
    ...unique.map((names) => made(names.map(path))),
    ...(entries === undefined
      ? []
      : [
          made([
            ['e.at', 1],
            ['born', 1],
          ]),
          made(
            [
              ['late.at', 1],
              ['lateBorn', 1],
            ],
            { partialFilterExpression: { lateBorn: { $exists: true } } },
          ),
        ]),
  ];
}

/** Returns the inputs of a generation as text: any difference means a rebuild. */
export const specText = (spec: CollectionSpec): string => {
  const { name, version, keys, values, indexes, unique, entries } = spec;
  return JSON.stringify({ name, version, keys, values, indexes, unique, entries });
};

export const parseSpec = (text: string): CollectionSpec => JSON.parse(text) as CollectionSpec;

/** Names the collection that holds one generation. */
export const physicalName = (collection: string, generation: number): string =>
  `read_${collection}_${String(generation)}`;

/** Matches every generation, past or present. */
export const PHYSICAL = /^read_.*_\d+$/;

/** Returns each member of the body's metadata as one text, so that a filter is an equality. */
export function metadataOf(body: string): readonly string[] {
  if (!SOME_METADATA.test(body)) return []; // Parsing it costs more than the rest of the row.
  const { metadata } = JSON.parse(body) as { metadata?: Record<string, unknown> | null };
  return Object.entries(metadata ?? {}).map(([key, value]) =>
    metadataText(key, typeof value === 'string' ? value : JSON.stringify(value)),
  );
}

/** Matches metadata at any depth that is not empty; most is. */
const SOME_METADATA = /"metadata"(?!:(?:\{\}|null)[,}])/;

export const metadataText = (key: string, text: string): string => JSON.stringify([key, text]);

/**
 * Returns an entry's place among those of its key: the place of the put that added it, then its ordinal. In position
 * texts, '.' sorts before any character that could continue a longer one.
 */
export const entryBorn = (born: ListPosition, ordinal: number): ListPosition =>
  typeof born === 'number'
    ? born + ordinal
    : `${born}.${ordinal.toString(16).padStart(ORDINAL_DIGITS, '0')}`;

/** Returns the place that a row is at or before if it has an entry there: no ordinal is beyond it. */
export const rowBornFrom = (entry: ListPosition): ListPosition =>
  typeof entry === 'number' ? entry - ORDINAL_MAX : entry.slice(0, -ORDINAL_DIGITS - 1);

/** Returns the last possible place of an entry that came with the row, or the later put, of this place. */
export const lastEntryBorn = (row: ListPosition): ListPosition => entryBorn(row, ORDINAL_MAX);

const ORDINAL_DIGITS = 4;
const ORDINAL_MAX = 0xffff;

/** Names become parts of paths. */
function checkName(name: string): void {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) throw new Error(`Not the name of a key: ${name}`);
}
