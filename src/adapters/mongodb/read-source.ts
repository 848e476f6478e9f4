import type { Collection, Document, FindCursor } from 'mongodb';
import type { ListPosition } from '#src/ports/page.ts';
import type {
  CollectionSpec,
  EntryPageListing,
  EntryRow,
  Listing,
  Row,
} from '#src/ports/read-store.ts';
import { callServer } from './call.ts';
import {
  entryFilter,
  entryMeets,
  listFilter,
  type EntryArray,
  type EntryBounds,
} from './read-filter.ts';
import { lastEntryBorn, type StoredRow } from './read-layout.ts';
import type { ScanSource } from './read-scan.ts';

type StoredRows = Collection<StoredRow>;
type ScannedRows<Found> = Readonly<{
  rows: readonly Found[];
  stoppedAt?: ListPosition | undefined;
}>;

/** Reads the rows of a listing. `skip` applies once, to the first read. */
export function rowSource(
  rows: StoredRows,
  spec: CollectionSpec,
  listing: Listing,
): ScanSource<Row> {
  const { where, filters = [], order } = listing;
  const sort = { born: order === 'asc' ? 1 : -1 } as const;
  let skip = listing.skip ?? 0;
  return {
    canResume: () => skip === 0,
    bornOf: ({ born }) => born,

    async read({ after, to, limit, maxMs }) {
      const filter = listFilter(
        spec,
        { where, filters, order, ...(after !== undefined && { after }) },
        to,
      );
      const found = await readBounded(
        () =>
          rows
            .find(filter, { projection: ROW, maxTimeMS: maxMs })
            .sort(sort)
            .skip(skip)
            .limit(limit),
        limit,
        maxMs,
      );
      skip = 0;
      const last = found.rows.at(-1);
      return {
        rows: found.rows.map((row) => shown(spec, row)),
        stoppedAt: found.stopped ? last?.born : undefined,
      };
    },

    edge(after, size, maxMs) {
      const filter = listFilter(spec, { where, order, ...(after !== undefined && { after }) });
      return edgeOf(rows, filter, { sort, size, maxMs, born: 'born' });
    },
  };
}

/** Reads the entries of a listing, from both arrays of every row, in the order of `born`. */
export function entrySource(
  rows: StoredRows,
  spec: CollectionSpec,
  { at, filters = [], order }: Pick<EntryPageListing, 'at' | 'filters' | 'order'>,
): ScanSource<EntryRow> {
  const sign = order === 'asc' ? 1 : -1;
  const parts = at.flatMap((list) => ARRAYS.map((array) => ({ list, array })));
  const nearest = (borns: readonly (ListPosition | undefined)[]) =>
    borns
      .filter((born) => born !== undefined)
      .sort((a, b) => (a < b ? -sign : sign))
      .at(0);
  const bounds = (list: string, after: ListPosition | undefined): EntryBounds => {
    return { at: list, filters, order, ...(after !== undefined && { after }) };
  };

  return {
    canResume: () => true,
    bornOf: ({ entryBorn }) => entryBorn,

    async read({ after, to, limit, maxMs }) {
      const found = await Promise.all(
        parts.map(({ list, array }) =>
          readEntries(rows, spec, { ...bounds(list, after), to, limit, maxMs }, array),
        ),
      );
      const stoppedAt = nearest(found.map((part) => part.stoppedAt));
      const isWithin = ({ entryBorn }: EntryRow) =>
        stoppedAt === undefined ||
        (order === 'asc' ? entryBorn <= stoppedAt : entryBorn >= stoppedAt);
      const merged = found
        .flatMap((part) => part.rows)
        .filter(isWithin)
        .sort((a, b) => (a.entryBorn < b.entryBorn ? -sign : sign));
      const kept = merged.slice(0, limit);
      return { rows: kept, stoppedAt: kept.length < merged.length ? undefined : stoppedAt };
    },

    async edge(after, size, maxMs) {
      const edges = await Promise.all(
        parts.map(async ({ list, array }) => {
          const filter = entryFilter(spec, { ...bounds(list, after), filters: [] }, array);
          const sort = { [array.born]: sign } as Record<string, 1 | -1>;
          return edgeOf(rows, filter, { sort, size, maxMs, born: array.born });
        }),
      );
      const edge = nearest(edges);
      // Covers all entries of the row there; backwards, it is the first of them.
      return edge !== undefined && order === 'asc' ? lastEntryBorn(edge) : edge;
    },
  };
}

async function readEntries(
  rows: StoredRows,
  spec: CollectionSpec,
  bounds: EntryBounds & Readonly<{ to: ListPosition | undefined; limit: number; maxMs: number }>,
  { array, born }: EntryArray,
): Promise<ScannedRows<EntryRow>> {
  const { to, limit, maxMs, order } = bounds;
  const found = await readBounded(
    () =>
      rows
        .find(entryFilter(spec, bounds, { array, born }, to), {
          projection: { ...ROW, [born]: 1, [array]: 1 },
          maxTimeMS: maxMs,
        })
        .sort({ [born]: order === 'asc' ? 1 : -1 })
        .limit(limit),
    limit,
    maxMs,
  );
  const last = found.rows.at(-1)?.[born];
  return {
    rows: found.rows.flatMap((row) =>
      (row[array] ?? [])
        .filter((entry) => entryMeets(spec, bounds, entry, to))
        .map(({ o, b }) => ({ ...shown(spec, row), ordinal: o, entryBorn: b })),
    ),
    stoppedAt:
      found.stopped && last !== undefined
        ? order === 'asc'
          ? lastEntryBorn(last)
          : last
        : undefined,
  };
}

/** Stops reading at the row at which the bodies grow too large to hold. */
async function readBounded(
  find: () => FindCursor<StoredRow>,
  limit: number,
  maxMs: number,
): Promise<Readonly<{ rows: readonly StoredRow[]; stopped: boolean }>> {
  return callServer(async () => {
    const rows: StoredRow[] = [];
    let left = READ_CHARACTERS;
    for await (const row of find().batchSize(limit)) {
      rows.push(row);
      left -= row.body.length;
      if (left < 0) return { rows, stopped: rows.length < limit };
    }
    return { rows, stopped: false };
  }, maxMs + GRACE_MS);
}

type Edge = Readonly<{
  sort: Record<string, 1 | -1>;
  size: number;
  maxMs: number;
  born: 'born' | 'lateBorn';
}>;

async function edgeOf(
  rows: StoredRows,
  filter: Document,
  { sort, size, maxMs, born }: Edge,
): Promise<ListPosition | undefined> {
  const options = { projection: { _id: 0, [born]: 1 }, maxTimeMS: maxMs };
  const find = () =>
    rows
      .find(filter, options)
      .sort(sort)
      .skip(size - 1)
      .limit(1)
      .toArray();
  const [found] = await callServer(find, maxMs + GRACE_MS);
  return found?.[born];
}

export const shown = ({ values = {} }: CollectionSpec, { _id, born, v, body }: StoredRow): Row => ({
  id: _id,
  born,
  values: Object.fromEntries(Object.keys(values).map((name) => [name, v?.[name] ?? null])),
  body,
});

export const ROW: Document = { born: 1, v: 1, body: 1 };
const ARRAYS: readonly EntryArray[] = [
  { array: 'e', born: 'born' },
  { array: 'late', born: 'lateBorn' },
];
const READ_CHARACTERS = 8 * 1024 * 1024;
/** The server ends work that takes too long; if it fails to, the caller stops waiting. */
const GRACE_MS = 2000;
