import type { Db, Document } from 'mongodb';
import type { Uuid } from '#src/domain/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { pageOf } from '#src/ports/page.ts';
import type {
  CollectionSpec,
  EntryListing,
  EntryRow,
  Listing,
  ReadStore,
  Row,
  Show,
} from '#src/ports/read-store.ts';
import type { MongoPlace } from './place.ts';
import { reaching } from './reaching.ts';
import {
  entryFilter,
  entryMeets,
  idsFilter,
  listFilter,
  pickFilter,
  type EntryArray,
} from './read-filter.ts';
import type { StoredRow } from './read-layout.ts';
import { POINTER_MS, ReadPointer, type Live } from './read-pointer.ts';

export type MongoReadStoreOptions = Readonly<{
  /** The log that is read: rows of another one are not shown. */
  logId?: Uuid;
  /** What rows are to the outside, by collection or `as`; the body where none is named. */
  shows?: Readonly<Record<string, Show>>;
  /** What one query may take on the server. */
  budgetMs?: number;
  /** How long it goes on with the generations it knows, before it looks which are live. */
  pointerMs?: number;
}>;

/** The reading side on a MongoDB-compatible server; a row that is long to show is shown on the calling thread. */
export function openMongoReadStore(
  { db }: MongoPlace,
  { logId, shows = {}, budgetMs = BUDGET_MS, pointerMs = POINTER_MS }: MongoReadStoreOptions = {},
): ReadStore {
  const pointer = new ReadPointer(db, pointerMs);

  /** Runs a query on the live rows; `nothing` while there are none. */
  const read = async <Found>(
    wanted: CollectionSpec,
    nothing: Found,
    query: (live: Live) => Promise<Found>,
  ): Promise<Found> => {
    const live = await pointer.live(wanted.name);
    if (logId !== undefined && live !== undefined && live.catalog.logId !== logId) {
      throw new Unavailable('The read store holds rows of another log.');
    }
    if (live === undefined) return nothing;
    try {
      return await reaching(() => query(live), budgetMs + GRACE_MS);
    } catch (error) {
      if (live.spec.version === wanted.version || isNamed(error)) throw error;
      throw new Unavailable(`${wanted.name} is being rebuilt`, { cause: error });
    }
  };

  const list = (wanted: CollectionSpec, listing: Listing): Promise<readonly Row[]> =>
    read(wanted, [], async ({ physical, spec }) => {
      const { order, skip = 0, limit } = listing;
      const found = await db
        .collection<StoredRow>(physical)
        .find(listFilter(spec, listing), { projection: ROW, maxTimeMS: budgetMs })
        .sort({ born: order === 'asc' ? 1 : -1 })
        .skip(skip)
        .limit(limit)
        .batchSize(limit)
        .toArray();
      return found.map((row) => shown(spec, row));
    });

  return {
    get logId() {
      return pointer.logId;
    },

    get: (wanted, where) =>
      read(wanted, undefined, async ({ physical, spec }) => {
        const options = { projection: ROW, maxTimeMS: budgetMs };
        const rows = db.collection<StoredRow>(physical);
        const found = await rows.findOne(pickFilter(spec, where), options);
        return found === null ? undefined : shown(spec, found);
      }),

    getAll: (wanted, ids, where) =>
      read(wanted, [], async ({ physical, spec }) => {
        const found = await db
          .collection<StoredRow>(physical)
          .find(idsFilter(spec, ids, where), { projection: ROW, maxTimeMS: budgetMs })
          .batchSize(Math.max(ids.length, 1))
          .toArray();
        return found.map((row) => shown(spec, row));
      }),

    list,

    async page(wanted, listing) {
      const rows = await list(wanted, { ...listing, limit: listing.limit + 1 });
      const show = shows[listing.as ?? wanted.name] ?? (({ body }) => body);
      return pageOf(rows, listing, ({ born }) => born, show);
    },

    listEntries: (wanted, listing) =>
      read(wanted, [], async ({ physical, spec }) => {
        const walk = (part: EntryArray) =>
          walkEntries(db, { physical, spec }, listing, part, budgetMs);
        const [first, late] = await Promise.all([
          walk({ array: 'e', born: 'born' }),
          walk({ array: 'late', born: 'lateBorn' }),
        ]);
        const { order, skip = 0, limit } = listing;
        const sign = order === 'asc' ? 1 : -1;
        return [...first, ...late]
          .sort((a, b) => (a.entryBorn < b.entryBorn ? -sign : sign))
          .slice(skip, skip + limit);
      }),

    async close() {
      // The place holds the connections.
    },
  };
}

/** The entries of one array that the listing is about, enough of them to skip and show what it wants. */
async function walkEntries(
  db: Db,
  { physical, spec }: Pick<Live, 'physical' | 'spec'>,
  listing: EntryListing,
  part: EntryArray,
  budgetMs: number,
): Promise<readonly EntryRow[]> {
  const { order, skip = 0, limit } = listing;
  const found = await db
    .collection<StoredRow>(physical)
    .find(entryFilter(spec, listing, part), {
      projection: { ...ROW, [part.array]: 1 },
      maxTimeMS: budgetMs,
    })
    .sort({ [part.born]: order === 'asc' ? 1 : -1 })
    .limit(skip + limit)
    .batchSize(skip + limit)
    .toArray();
  return found.flatMap((row) =>
    (row[part.array] ?? [])
      .filter((entry) => entryMeets(spec, listing, entry))
      .map(({ o, b }) => ({ ...shown(spec, row), ordinal: o, entryBorn: b })),
  );
}

const shown = ({ values = {} }: CollectionSpec, { _id, born, v, body }: StoredRow): Row => ({
  id: _id,
  born,
  values: Object.fromEntries(Object.keys(values).map((name) => [name, v?.[name] ?? null])),
  body,
});

const isNamed = (error: unknown): boolean =>
  error instanceof Error && ['Unavailable', 'TimeBudgetExceeded'].includes(error.name);

const ROW: Document = { born: 1, v: 1, body: 1 };
const BUDGET_MS = 1000;
const GRACE_MS = 2000;
