import type { Collection, Db } from 'mongodb';
import type { Uuid } from '#src/kernel/ids.ts';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { insertedNew, callServer } from './call.ts';
import { specText } from './read-layout.ts';

/** The log the rows come from, and the live and shadow generation of each collection. */
export type Catalog = Readonly<{
  logId: Uuid;
  format: number;
  /** The fence of the lease under which it was last written. */
  fence: number;
  /** Increases with every change. */
  seq: number;
  /** The number of the next generation; numbers are never reused. */
  next: number;
  collections: Readonly<Record<string, Generations>>;
}>;

export type Generations = Readonly<{ live: MongoGeneration; shadow?: MongoGeneration }>;

/** `spec` is the specText it is built for. */
export type MongoGeneration = Readonly<{ n: number; spec: string }>;

export async function readCatalog(db: Db): Promise<Catalog | undefined> {
  const found = await callServer(() => stored(db).findOne({ _id: CATALOG }));
  return found ?? undefined;
}

/**
 * Moves pointers in one write, conditional on the catalog as read. Returns the new catalog. Errors: Unavailable; Fenced
 * when a later owner of the lease has written.
 */
export async function changeCatalog(
  db: Db,
  fence: number,
  change: (before: Catalog | undefined) => Catalog,
): Promise<Catalog> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await readCatalog(db);
    if (before !== undefined && before.fence > fence) throw new Fenced('The read store', fence);
    const wanted = change(before);
    if (wanted === before && before.fence === fence) return before;
    const after = { ...wanted, fence, seq: (before?.seq ?? 0) + 1, _id: CATALOG };
    if (await callServer(() => replace(stored(db), before, after))) return after;
  }
  throw new Unavailable('The read store is being opened by another process.');
}

async function replace(
  catalogs: Collection<StoredCatalog>,
  before: Catalog | undefined,
  after: StoredCatalog,
): Promise<boolean> {
  if (before !== undefined) {
    const { matchedCount } = await catalogs.replaceOne({ _id: CATALOG, seq: before.seq }, after);
    return matchedCount === 1;
  }
  return insertedNew(catalogs, after);
}

/** Returns why the rows of a catalog are not of this log and format. */
export function strangeness({ logId, format }: Catalog, ours: Uuid): string | undefined {
  if (logId !== ours) return `they were built from another log (${logId})`;
  return format === FORMAT ? undefined : 'they have the format of another release';
}

/** Returns a catalog that has a generation for each of these specs, live or shadow. */
export function chosen(
  before: Catalog | undefined,
  logId: Uuid,
  specs: readonly CollectionSpec[],
): Catalog {
  const isOurs = before !== undefined && strangeness(before, logId) === undefined;
  let next = before?.next ?? 1;
  let changed = !isOurs;
  const collections = { ...(isOurs ? before.collections : {}) };
  for (const spec of specs) {
    const text = specText(spec);
    const fresh = (): MongoGeneration => ({ n: next++, spec: text });
    const { live = fresh(), shadow } = collections[spec.name] ?? {};
    const wanted =
      live.spec === text ? { live } : { live, shadow: shadow?.spec === text ? shadow : fresh() };
    const same = collections[spec.name]?.live === live && shadow === wanted.shadow;
    if (same) continue;
    collections[spec.name] = wanted;
    changed = true;
  }
  if (before !== undefined && !changed) return before;
  return { logId, format: FORMAT, fence: 0, seq: 0, next, collections };
}

type StoredCatalog = Catalog & Readonly<{ _id: string }>;

const stored = (db: Db): Collection<StoredCatalog> => db.collection('read_catalog');

const CATALOG = 'catalog';
const ROUNDS = 16;

/** Bump when the layout of rows changes: rows of another format are rebuilt from the log. */
const FORMAT = 2;
