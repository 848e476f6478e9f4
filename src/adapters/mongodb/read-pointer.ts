import type { Db } from 'mongodb';
import { readCatalog, type Catalog, type MongoGeneration } from './read-catalog.ts';
import { parseSpec, physicalName } from './read-layout.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';

/** The live rows of a collection, and the spec they were built for. */
export type LiveCollection = Readonly<{ catalog: Catalog; physical: string; spec: CollectionSpec }>;

/**
 * Caches the catalog for a reader, for at most `pointerMs`: a writer that moved a pointer relies on it. A missing
 * collection is never cached. Errors: Unavailable, when the cache is too old and the catalog cannot be read.
 */
export class ReadPointer {
  readonly #db: Db;
  readonly #pointerMs: number;
  readonly #specs = new Map<string, CollectionSpec>();
  #known: Catalog | undefined;
  #askedMs = 0;
  #asking: Promise<void> | undefined;

  constructor(db: Db, pointerMs: number) {
    this.#db = db;
    this.#pointerMs = pointerMs;
  }

  /** The log the rows come from, as far as it is known. */
  get logId() {
    return this.#known?.logId;
  }

  /** Returns undefined while the collection does not exist. */
  async live(collection: string): Promise<LiveCollection | undefined> {
    const isFresh = performance.now() - this.#askedMs < this.#pointerMs;
    if (!isFresh || this.#known?.collections[collection] === undefined) await this.#refresh();
    const catalog = this.#known;
    const generation = catalog?.collections[collection]?.live;
    if (catalog === undefined || generation === undefined) return undefined;
    const physical = physicalName(collection, generation.n);
    return { catalog, physical, spec: this.#specOf(generation) };
  }

  #refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const askedMs = performance.now();
    this.#known = await readCatalog(this.#db);
    this.#askedMs = askedMs;
  }

  #specOf({ spec }: MongoGeneration): CollectionSpec {
    const parsed = this.#specs.get(spec) ?? parseSpec(spec);
    this.#specs.set(spec, parsed);
    return parsed;
  }
}

export const POINTER_MS = 1000;
