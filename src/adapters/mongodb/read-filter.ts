import type { Document } from 'mongodb';
import type { ListPosition } from '#src/ports/page.ts';
import type {
  CollectionSpec,
  Condition,
  EntryListing,
  KeyValue,
  Listing,
} from '#src/ports/read-store.ts';
import { metadataText, rowBornFrom, type DocumentValues } from './read-layout.ts';

/** Filters for the ids of `getAll`. */
export const idsFilter = (
  spec: CollectionSpec,
  ids: readonly string[],
  where: DocumentValues,
): Document => both(LIVE, { _id: { $in: [...ids] } }, ...equalities(spec, where));

/** Filters for the row of `get`: by its id, or by unique keys. Errors: neither is given. */
export function pickFilter(spec: CollectionSpec, where: DocumentValues): Document {
  const { id, ...keys } = where;
  const unique = spec.unique ?? [];
  if (!('id' in where) && !unique.some((names) => names.every((name) => name in where))) {
    throw new Error(`${Object.keys(where).join(', ')} do not name one row of ${spec.name}`);
  }
  return both(LIVE, 'id' in where ? { _id: id } : {}, ...equalities(spec, keys));
}

/** Filters the rows of a listing; with `to`, the walk ends there, inclusive. */
export function listFilter(
  spec: CollectionSpec,
  listing: Pick<Listing, 'where' | 'filters' | 'after' | 'order'>,
  to?: ListPosition,
): Document {
  const { where, filters = [], after, order } = listing;
  const names = Object.keys(where).sort().join(', ');
  if (!spec.indexes.some((keys) => [...keys].sort().join(', ') === names)) {
    throw new Error(`${spec.name} has no index on ${names}`);
  }
  return both(
    typeof where['tenantId'] === 'string' ? {} : LIVE,
    ...equalities(spec, where),
    after === undefined ? {} : { born: { [order === 'asc' ? '$gt' : '$lt']: after } },
    to === undefined ? {} : { born: { [order === 'asc' ? '$lte' : '$gte']: to } },
    ...filters.map((filter) => condition(spec, filter)),
  );
}

/** Filters rows by an entry for the listing in one of their two arrays, placed by `born` of that array. */
export function entryFilter(
  spec: CollectionSpec,
  listing: EntryBounds,
  { array, born }: EntryArray,
  to?: ListPosition,
): Document {
  const { at, filters = [], after, order } = listing;
  const facts = Object.keys(factsOf(spec));
  const isFact = (filter: Condition) => 'key' in filter && facts.includes(filter.key);
  const [beyond, upTo] = order === 'asc' ? ['$gt', '$lte'] : ['$lt', '$gte'];
  return both(
    {
      [array]: {
        $elemMatch: both(
          { at },
          after === undefined ? {} : { b: { [beyond]: after } },
          to === undefined ? {} : { b: { [upTo]: to } },
          ...filters.filter(isFact).map((filter) => condition(spec, filter, 'f')),
        ),
      },
    },
    // The index on late entries holds only rows that have some, and serves only queries that say so.
    array === 'late' ? { [born]: { $exists: true } } : {},
    after === undefined ? {} : { [born]: rowBound(order, after) },
    to === undefined ? {} : { [born]: rowBound(order === 'asc' ? 'desc' : 'asc', to) },
    ...filters.filter((filter) => !isFact(filter)).map((filter) => condition(spec, filter)),
  );
}

/** Tests the same conditions on one entry of a row. */
export function entryMeets(
  spec: CollectionSpec,
  { at, filters = [], after, order }: EntryBounds,
  entry: Readonly<{ at: string; b: ListPosition; f?: DocumentValues }>,
  to?: ListPosition,
): boolean {
  if (entry.at !== at) return false;
  if (to !== undefined && (order === 'asc' ? entry.b > to : entry.b < to)) return false;
  if (after !== undefined && (order === 'asc' ? entry.b <= after : entry.b >= after)) return false;
  const facts = factsOf(spec);
  return filters.every((filter) => {
    if (!('key' in filter) || !Object.hasOwn(facts, filter.key)) return true;
    const value = entry.f?.[filter.key] ?? null;
    if ('is' in filter) return value === filter.is;
    if (typeof value !== 'string') return false;
    if ('in' in filter) return filter.in.includes(value);
    if ('prefix' in filter) return value.startsWith(filter.prefix);
    return value >= (filter.from ?? value) && value <= (filter.to ?? value);
  });
}

export type EntryBounds = Pick<EntryListing, 'at' | 'filters' | 'after' | 'order'>;
export type EntryArray = Readonly<{ array: 'e' | 'late'; born: 'born' | 'lateBorn' }>;

/** Bounds the row of a walk so that its index is used; the entry's own bound is the exact one. */
const rowBound = (order: 'asc' | 'desc', after: ListPosition): Document =>
  order === 'asc' ? { $gte: rowBornFrom(after) } : { $lte: after };

const factsOf = ({ name, entries }: CollectionSpec) => {
  if (entries === undefined) throw new Error(`${name} has no entries`);
  return entries.facts;
};

const equalities = (spec: CollectionSpec, where: DocumentValues): Document[] =>
  Object.entries(where).map(([key, is]) => ({ [pathOf(spec, key, 'k')]: equality(is) }));

function condition(spec: CollectionSpec, filter: Condition, under: 'k' | 'f' = 'k'): Document {
  if ('metadata' in filter) return { m: metadataText(filter.metadata, filter.is) };
  if ('mentions' in filter) return { body: { $regex: mentioning(filter.mentions) } };
  const path = pathOf(spec, filter.key, under);
  if ('is' in filter) return { [path]: equality(filter.is) };
  if ('in' in filter) return { [path]: { $in: [...filter.in] } };
  if ('prefix' in filter) return { [path]: startingWith(filter.prefix) };
  const { from, to } = filter;
  return {
    [path]: { $gte: from ?? '', ...(to !== undefined && { $lte: to }) },
  };
}

function pathOf(spec: CollectionSpec, key: string, under: 'k' | 'f'): string {
  const names = under === 'k' ? spec.keys : factsOf(spec);
  if (!Object.hasOwn(names, key)) throw new Error(`${spec.name} has no key ${key}`);
  return `${under}.${key}`;
}

/**
 * Matches JSON that may contain a string with this text: as it is, or with escapes, each of which begins with a
 * backslash and may stand for anything.
 */
function mentioning(text: string): string {
  const isPlain = JSON.stringify(text) === `"${text}"`;
  return isPlain ? `${text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')}|\\\\` : '\\\\';
}

/** Matches a value; null matches a missing field. */
const equality = (is: KeyValue): Document => ({ $eq: is });

/** Matches texts from the prefix up to the first one beyond all that begin with it. */
function startingWith(prefix: string): Document {
  const points = Array.from(prefix, (letter) => letter.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return { $gte: prefix, $type: 'string' };
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
  return { $gte: prefix, $lt: String.fromCodePoint(...points, next) };
}

const both = (...filters: readonly Document[]): Document => {
  const nonEmpty = filters.filter((filter) => Object.keys(filter).length > 0);
  return nonEmpty.length === 1 ? nonEmpty[0]! : nonEmpty.length === 0 ? {} : { $and: nonEmpty };
};

/** Excludes the remains of removed rows. */
const LIVE: Document = { pos: { $exists: true } };

const LAST_POINT = 0x10_ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;
