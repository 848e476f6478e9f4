import type { Db } from 'mongodb';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Anchor } from '#src/ports/anchor.ts';
import type { CollectionBatch, CollectionSpec, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { MongoDatabase } from './database.ts';
import { callServer, WORK_MS } from './call.ts';
import { changeCatalog, chosen, readCatalog, strangeness, type Catalog } from './read-catalog.ts';
import { readCheckpoints } from './read-checkpoints.ts';
import { indexesOf, PHYSICAL, physicalName, type RowOrTombstone } from './read-layout.ts';
import { MetadataIndexes } from './read-metadata.ts';
import { POINTER_MS } from './read-pointer.ts';
import { MongoReadTarget } from './read-target.ts';

export type MongoReadStoreWriterOptions = Readonly<{
  /** The fence of the lease under which it writes. */
  fence?: number;
  /** The milliseconds for which readers cache the catalog (MongoReadStoreOptions). */
  pointerMs?: number;
  /** The milliseconds for which a generation without readers is kept. */
  keepMs?: number;
  /** Called with the reason when existing rows are discarded. */
  told?: (reason: string) => void;
}>;

/**
 * Opens the writing side on a MongoDB-compatible server. Rows are written first, then the checkpoints: a crash in
 * between repeats the batch, which the guards of the rows make harmless. Errors: Unavailable; Fenced when another owner
 * of the lease has written.
 */
export function openMongoReadStoreWriter(
  { db }: MongoDatabase,
  {
    fence = 0,
    pointerMs = POINTER_MS,
    keepMs = KEEP_MS,
    told = () => undefined,
  }: MongoReadStoreWriterOptions = {},
): ReadStoreWriter {
  return new MongoReadStoreWriter(db, { fence, pointerMs, keepMs, told });
}

type WriteTarget = Readonly<{ physical: string; shadow: boolean; rows: MongoReadTarget }>;

class MongoReadStoreWriter implements ReadStoreWriter {
  readonly #db: Db;
  readonly #fence: number;
  readonly #pointerMs: number;
  readonly #keepMs: number;
  readonly #told: (reason: string) => void;
  readonly #checkpoints: ReturnType<typeof readCheckpoints>;
  readonly #dropping = new Set<NodeJS.Timeout>();
  #targets = new Map<string, WriteTarget>();
  #metadata: MetadataIndexes | undefined;

  constructor(db: Db, { fence, pointerMs, keepMs, told }: Required<MongoReadStoreWriterOptions>) {
    this.#told = told;
    this.#db = db;
    this.#fence = fence;
    this.#pointerMs = pointerMs;
    this.#keepMs = keepMs;
    this.#checkpoints = readCheckpoints(db, fence);
  }

  async open(logId: Uuid, collections: readonly CollectionSpec[]) {
    const before = await readCatalog(this.#db);
    const strange = before && strangeness(before, logId);
    if (strange !== undefined) this.#told(strange);
    const catalog = await changeCatalog(this.#db, this.#fence, (now) =>
      chosen(now, logId, collections),
    );
    const opened = collections.map((spec) => {
      const { live, shadow } = catalog.collections[spec.name]!;
      const { n } = shadow ?? live;
      return { spec, physical: physicalName(spec.name, n), shadow: shadow !== undefined };
    });
    for (const { spec, physical } of opened) {
      await callServer(() => this.#db.collection(physical).createIndexes(indexesOf(spec)), WORK_MS);
    }
    const checkpoints = await this.#checkpoints.claim(opened.map(({ physical }) => physical));
    if (isReplaced(before, catalog)) await this.#untilSeen();
    this.#dropUnused(catalog);
    this.#metadata = new MetadataIndexes(this.#db, logId, opened);
    this.#targets = new Map(
      opened.map(({ spec, physical, shadow }) => {
        const rows = new MongoReadTarget(
          this.#db.collection<RowOrTombstone>(physical),
          checkpoints.get(physical)!,
        );
        return [spec.name, { physical, shadow, rows }];
      }),
    );
    return new Map(
      opened.map(({ spec, physical, shadow }) => {
        return [spec.name, { checkpoint: checkpoints.get(physical)!, shadow }];
      }),
    );
  }

  async anchors(): Promise<readonly Anchor[]> {
    const catalog = await readCatalog(this.#db);
    return this.#checkpoints.anchors(catalog === undefined ? [] : usedBy(catalog));
  }

  /** Resolves when no reader uses any of the earlier rows. */
  async forget(): Promise<void> {
    this.#targets.clear();
    await changeCatalog(this.#db, this.#fence, (now) => {
      if (now === undefined) throw new Error('The read store was not opened');
      return { ...now, collections: {} };
    });
    await this.#untilSeen();
  }

  async apply(batch: readonly CollectionBatch[]): Promise<void> {
    const targets = batch.map(({ collection }) => this.#target(collection));
    await Promise.all(batch.map(({ changes }, n) => targets[n]!.rows.apply(changes)));
    await this.#metadata?.note(batch.flatMap(({ wishes = [] }) => wishes));
    await this.#checkpoints.move(
      new Map(
        batch.map(({ checkpoint: position, hash = '' }, n) => [
          targets[n]!.physical,
          { position, hash },
        ]),
      ),
    );
  }

  current(collection: string, ids: readonly string[]) {
    return this.#target(collection).rows.current(ids);
  }

  async indexMetadata(): Promise<boolean> {
    return (await this.#metadata?.step()) ?? false;
  }

  /** Resolves when every reader uses the new rows, so that all see what is applied next. */
  async swap(collection: string): Promise<void> {
    const target = this.#target(collection);
    if (!target.shadow) throw new Error(`${collection} has no shadow to swap`);
    const catalog = await changeCatalog(this.#db, this.#fence, (before) =>
      swapped(before, collection, target.physical),
    );
    this.#targets.set(collection, { ...target, shadow: false });
    await this.#untilSeen();
    this.#dropUnused(catalog);
  }

  async close(): Promise<void> {
    for (const timer of this.#dropping) clearTimeout(timer);
    this.#targets.clear();
  }

  #target(collection: string): WriteTarget {
    const target = this.#targets.get(collection);
    if (target === undefined) throw new Error(`Collection ${collection} was not opened`);
    return target;
  }

  /** Waits out the longest time a reader caches a pointer. */
  #untilSeen(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#pointerMs + SLACK_MS));
  }

  /** Drops collections later: reads may be in progress. If this process ends first, the next one drops them. */
  #dropUnused(catalog: Catalog): void {
    const unused = this.#unusedBy(catalog);
    const timer = setTimeout(() => {
      this.#dropping.delete(timer);
      unused.then((names) => this.#drop(names)).catch(() => {});
    }, this.#keepMs).unref();
    this.#dropping.add(timer);
    unused.catch(() => {}); // The next open drops them.
  }

  async #unusedBy(catalog: Catalog): Promise<readonly string[]> {
    const used = new Set(usedBy(catalog));
    const found = await callServer(() =>
      this.#db.listCollections({ name: PHYSICAL }, { nameOnly: true }).toArray(),
    );
    return found.map(({ name }) => name).filter((name) => !used.has(name));
  }

  async #drop(names: readonly string[]): Promise<void> {
    const catalog = await readCatalog(this.#db);
    if (catalog === undefined) return;
    const unused = new Set(await this.#unusedBy(catalog));
    for (const name of names.filter((one) => unused.has(one))) {
      await callServer(() => this.#db.dropCollection(name), WORK_MS);
      await this.#checkpoints.forget(name);
    }
  }
}

/** Returns the collections of all generations. */
const usedBy = (catalog: Catalog): readonly string[] =>
  Object.entries(catalog.collections).flatMap(([name, { live, shadow }]) =>
    [live, ...(shadow ? [shadow] : [])].map(({ n }) => physicalName(name, n)),
  );

/** Returns true if readers may have cached live rows that are no longer live. */
const isReplaced = (before: Catalog | undefined, after: Catalog): boolean =>
  Object.entries(before?.collections ?? {}).some(
    ([name, { live }]) => after.collections[name]?.live.n !== live.n,
  );

function swapped(before: Catalog | undefined, name: string, physical: string): Catalog {
  const generations = before?.collections[name];
  const shadow = generations?.shadow;
  if (before !== undefined && generations !== undefined) {
    if (physicalName(name, generations.live.n) === physical) return before; // It was moved, but the reply was lost.
    if (shadow !== undefined && physicalName(name, shadow.n) === physical) {
      return { ...before, collections: { ...before.collections, [name]: { live: shadow } } };
    }
  }
  throw new Error(`The shadow of ${name} no longer exists`);
}

/** Clocks of two processes need not agree to the millisecond. */
const SLACK_MS = 50;
const KEEP_MS = 60_000;
