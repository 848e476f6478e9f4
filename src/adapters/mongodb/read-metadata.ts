import type { Collection, Db } from 'mongodb';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import { scopeOf, type CollectionSpec, type MetadataWish } from '#src/ports/read-store.ts';
import { writeUpdates } from './bulk.ts';
import { callServer, WORK_MS } from './call.ts';
import type { RowOrTombstone } from './read-layout.ts';

export type IndexedCollection = Readonly<{ spec: CollectionSpec; physical: string }>;

/**
 * Manages the metadata index of each generation. Rows keep each metadata member as a text that begins with its key, so
 * that one index serves every key: it exists while an index on any key is requested. The server builds it alongside
 * other work, and its planner decides which filters use it.
 */
export class MetadataIndexes {
  readonly #db: Db;
  readonly #logId: Uuid;
  readonly #generations: readonly IndexedCollection[];
  readonly #made = new Map<string, boolean>();
  #unsettled = true;
  #working: Promise<void> | undefined;
  #failure: Readonly<{ cause: unknown }> | undefined;

  constructor(db: Db, logId: Uuid, generations: readonly IndexedCollection[]) {
    this.#db = db;
    this.#logId = logId;
    this.#generations = generations;
  }

  /** Records index requests; one older than the recorded one changes nothing. Errors: Unavailable. */
  async note(wishes: readonly (MetadataWish & Readonly<{ position: Position }>)[]): Promise<void> {
    if (wishes.length === 0) return;
    const logId = this.#logId;
    const last = new Map(
      wishes.map(({ collection, key, tenantId, wanted, position: pos }) => {
        const _id = `${logId} ${tenantId} ${collection} ${key}`;
        return [_id, { _id, logId, collection, wanted, pos }];
      }),
    );
    const updates = [...last.values()].map((wish) => {
      return { q: { _id: wish._id, pos: { $lt: wish.pos } }, u: wish, upsert: true };
    });
    await writeUpdates(this.#wishes(), updates);
    this.#unsettled = true;
  }

  /** Returns true if work remains. Errors: Unavailable; those of the driver. */
  async step(): Promise<boolean> {
    if (this.#failure !== undefined) {
      const { cause } = this.#failure;
      this.#failure = undefined;
      throw cause;
    }
    if (this.#working !== undefined) {
      await Promise.race([this.#working, new Promise((resolve) => setTimeout(resolve, STEP_MS))]);
      return true;
    }
    if (!this.#unsettled) return false;
    const next = await this.#next();
    if (next === undefined) this.#unsettled = false;
    else this.#begin(next);
    return next !== undefined;
  }

  /** Finds a generation that lacks a requested index, or has one that is not. */
  async #next(): Promise<(IndexedCollection & Readonly<{ wanted: boolean }>) | undefined> {
    const wishes = await callServer(() =>
      this.#wishes().find({ logId: this.#logId, wanted: true }).toArray(),
    );
    const wanting = new Set(wishes.map(({ collection }) => collection));
    for (const generation of this.#generations) {
      const wanted = wanting.has(generation.spec.name);
      if ((await this.#isMade(generation)) !== wanted) return { ...generation, wanted };
    }
    return undefined;
  }

  async #isMade({ physical }: IndexedCollection): Promise<boolean> {
    const known = this.#made.get(physical);
    if (known !== undefined) return known;
    const indexes = await callServer(() => this.#rows(physical).indexes(), WORK_MS);
    const made = indexes.some(({ name }) => name === NAME);
    this.#made.set(physical, made);
    return made;
  }

  #begin({ spec, physical, wanted }: IndexedCollection & Readonly<{ wanted: boolean }>): void {
    const rows = this.#rows(physical);
    const scope = scopeOf(spec).map((key) => [`k.${key}`, 1] as const);
    const key = Object.fromEntries([...scope, ['m', 1], ['born', 1]]) as Record<string, 1>;
    const work = (): Promise<unknown> =>
      wanted ? rows.createIndexes([{ key, name: NAME }]) : rows.dropIndex(NAME);
    this.#working = callServer(work, BUILD_MS).then(
      () => {
        this.#made.set(physical, wanted);
        this.#working = undefined;
      },
      (cause: unknown) => {
        this.#made.delete(physical);
        this.#working = undefined;
        this.#failure = { cause };
      },
    );
  }

  #wishes(): Collection<StoredWish> {
    return this.#db.collection('read_metadata_wishes');
  }

  #rows(physical: string): Collection<RowOrTombstone> {
    return this.#db.collection(physical);
  }
}

type StoredWish = Readonly<{
  _id: string;
  logId: Uuid;
  collection: string;
  wanted: boolean;
  pos: Position;
}>;

const NAME = 'metadata';
/** The longest that a step delays the projector, which then reads the log again. */
const STEP_MS = 20;
/** The server continues after the caller has stopped waiting. */
const BUILD_MS = 3_600_000;
