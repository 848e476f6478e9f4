import type { Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { PAGE_BYTES, pageOfWalk, PageSize, type PageItem, type Page } from '#src/ports/page.ts';
import type { CollectionSpec, Listing, ReadStore, Row, Renderers } from '#src/ports/read-store.ts';
import type { MongoDatabase } from './database.ts';
import { callServer } from './call.ts';
import { idsFilter, listFilter, pickFilter } from './read-filter.ts';
import type { StoredRow } from './read-layout.ts';
import { POINTER_MS, ReadPointer, type LiveCollection } from './read-pointer.ts';
import { scan } from './read-scan.ts';
import { entrySource, ROW, rowSource, shown } from './read-source.ts';

export type MongoReadStoreOptions = Readonly<{
  /** The log to read: rows of another one are hidden. */
  logId?: Uuid;
  /** Renderers of rows for clients, by collection or `as`; without one, the body is returned. */
  renderers?: Renderers;
  /** The milliseconds that one read may take. */
  budgetMs?: number;
  /** The maximum size of a page, in bytes. */
  pageBytes?: number;
  /** The milliseconds for which it caches the catalog of live generations. */
  pointerMs?: number;
}>;

/**
 * Opens the reading side on a MongoDB-compatible server; rows are rendered on the calling thread, however long that
 * takes.
 */
export function openMongoReadStore(
  { db }: MongoDatabase,
  options: MongoReadStoreOptions = {},
): ReadStore {
  const { logId, renderers = NO_RENDERERS, budgetMs = BUDGET_MS, pageBytes = PAGE_BYTES } = options;
  const { pointerMs = POINTER_MS } = options;
  const pointer = new ReadPointer(db, pointerMs);

  /** Runs a query on the live rows; returns `nothing` while there are none. */
  const read = async <Found>(
    wanted: CollectionSpec,
    nothing: Found,
    query: (live: LiveCollection) => Promise<Found>,
  ): Promise<Found> => {
    const live = await pointer.live(wanted.name);
    if (logId !== undefined && live !== undefined && live.catalog.logId !== logId) {
      throw new Unavailable('The read store holds rows of another log.');
    }
    if (live === undefined) return nothing;
    try {
      return await callServer(() => query(live), budgetMs * 2 + GRACE_MS);
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

    page: (wanted, listing, caller) =>
      read(wanted, NO_PAGE, async ({ physical, spec }) => {
        const show = renderers.rows[listing.as ?? wanted.name] ?? bodyOf;
        const size = new PageSize(pageBytes);
        const rows = db.collection<StoredRow>(physical);
        const walked = await scan(rowSource(rows, spec, listing), {
          after: listing.after,
          limit: listing.limit + 1,
          take: (row): PageItem => ({ born: row.born, text: show(row) }),
          sieves: false,
          isFull: (items) => size.isFull(items),
          budgetMs,
          caller,
        });
        return pageOfWalk(walked, listing);
      }),

    pageEntries: (wanted, listing, caller) =>
      read(wanted, NO_PAGE, async ({ physical, spec }) => {
        const { as, wanted: asked, sieves = false } = listing;
        const show = renderers.entries[as] ?? renderers.rows[as] ?? bodyOf;
        const size = new PageSize(pageBytes);
        const rows = db.collection<StoredRow>(physical);
        const walked = await scan(entrySource(rows, spec, listing), {
          after: listing.after,
          limit: listing.limit + 1,
          take(row): PageItem | undefined | null {
            const text = show(row, asked);
            return typeof text === 'string' ? { born: row.entryBorn, text } : text;
          },
          sieves,
          isFull: (items) => size.isFull(items),
          budgetMs,
          caller,
        });
        return pageOfWalk(walked, listing);
      }),

    listEntries: (wanted, listing) =>
      read(wanted, [], async ({ physical, spec }) => {
        const { skip = 0, limit, after, at } = listing;
        const rows = db.collection<StoredRow>(physical);
        const source = entrySource(rows, spec, { ...listing, at: [at] });
        const bounds = { after, to: undefined, limit: skip + limit, maxMs: budgetMs };
        return (await source.read(bounds)).rows.slice(skip);
      }),

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

const isNamed = (error: unknown): boolean =>
  error instanceof Error && ['Unavailable', 'TimeBudgetExceeded'].includes(error.name);

const bodyOf = ({ body }: Row): string => body;
const NO_RENDERERS: Renderers = { rows: {}, entries: {} };
const NO_PAGE: Page = { items: '', more: false, first: undefined, last: undefined };
const BUDGET_MS = 1000;
const GRACE_MS = 2000;
