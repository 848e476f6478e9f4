import {
  MongoBulkWriteError,
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
  type WriteError,
} from 'mongodb';
import { DUPLICATE_KEY, callServer, WORK_MS } from './call.ts';

/** An update: the filter a document must meet, and its changes. */
export type Update = Readonly<{ q: Document; u: Document; upsert?: boolean }>;

/**
 * Inserts documents, unordered and over several connections at once. Returns those whose id exists already. Errors:
 * Unavailable; the driver's for anything but such an id. Some may have been written then.
 */
export async function writeInserts<Stored extends { _id: string }>(
  collection: Collection<Stored>,
  documents: readonly Stored[],
): Promise<Stored[]> {
  const sorted = inOrder(documents, ({ _id }) => _id);
  const refused = await inParallel(sorted, async (chunk) => {
    const rows = chunk as OptionalUnlessRequiredId<Stored>[];
    const error = await refusals(() => collection.insertMany(rows, UNORDERED));
    return error === undefined ? [] : refusedIn(error).map(({ index }) => chunk[index]!);
  });
  return refused.flat();
}

/**
 * Updates documents, unordered and over several connections at once; each document may occur only once. Returns how
 * many met their guard or were upserted; an upsert of an existing document that fails its guard does nothing.
 */
export async function writeUpdates<Stored extends { _id: string }>(
  collection: Collection<Stored>,
  updates: readonly Update[],
): Promise<number> {
  const sorted = inOrder(updates, ({ q }) => String(q['_id']));
  const counts = await inParallel(sorted, async (chunk) => {
    const operations = chunk.map((update) => operationOf<Stored>(update));
    let matched = 0;
    const error = await refusals(async () => {
      const { matchedCount, upsertedCount } = await collection.bulkWrite(operations, UNORDERED);
      matched = matchedCount + upsertedCount;
    });
    if (error === undefined) return matched;
    return error.matchedCount + error.upsertedCount;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** An update without operators replaces the whole document. */
function operationOf<Stored extends { _id: string }>({ q, u, upsert = false }: Update) {
  const filter = q as Filter<Stored>;
  const operation =
    '$set' in u || '$max' in u
      ? { updateOne: { filter, update: u as UpdateFilter<Stored>, upsert } }
      : { replaceOne: { filter, replacement: u as Stored, upsert } };
  return operation as AnyBulkWriteOperation<Stored>;
}

/** Sorts items by id: two processes that write the same documents at once wait for each other, but not in a circle. */
export const inOrder = <Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] =>
  items.toSorted((a, b) => {
    const [x, y] = [idOf(a), idOf(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  });

/** Processes items in chunks, a few at a time. The first error ends it; chunks in progress continue. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<Result>,
  chunkMax = CHUNK_MAX,
): Promise<Result[]> {
  const size = Math.min(chunkMax, Math.max(CHUNK_MIN, Math.ceil(items.length / LANES)));
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const chunk = items.slice(next, next + size);
      next += size;
      results.push(await work(chunk));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

/** Returns the refusals of a bulk if all are for an existing id or a failed guard; undefined when there are none. */
async function refusals(work: () => Promise<unknown>): Promise<MongoBulkWriteError | undefined> {
  return callServer(async () => {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const refused = refusedIn(error);
      const isWhole = refused.length === 0; // The outcome of its single operations is unknown.
      if (isWhole || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      return error;
    }
  }, WORK_MS);
}

const refusedIn = ({ writeErrors }: MongoBulkWriteError): readonly WriteError[] =>
  [writeErrors].flat();

const UNORDERED = { ordered: false } as const;
const LANES = 3;
const CHUNK_MIN = 400;
const CHUNK_MAX = 1000;
