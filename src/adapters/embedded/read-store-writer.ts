import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/domain/ids.ts';
import type { CollectionBatch, CollectionSpec, ReadStoreWriter } from '#src/ports/read-store.ts';
import {
  claim,
  createGeneration,
  dropGeneration,
  generations,
  markGeneration,
  type Generation,
} from './read-catalog.ts';
import { openDictionary } from './read-dictionary.ts';
import { READ_FILE, specText } from './read-layout.ts';
import { noteWishes } from './read-metadata.ts';
import { ReadTarget } from './read-target.ts';
import { inTransaction, isDamage, openDatabase, removeDatabase } from './sqlite.ts';

/**
 * The writing side on read.db, for the one thread that projects: every method does its work before it
 * returns, on a connection of its own. A power cut may take the last batches, each as a whole and with its
 * checkpoint: the log has them still.
 */
export function openEmbeddedReadStoreWriter(
  dir: string,
  { checkpointEveryMs = CHECKPOINT_EVERY_MS }: ReadStoreWriterOptions = {},
): ReadStoreWriter {
  const db = openOrStartAnew(join(dir, READ_FILE));
  return new EmbeddedReadStoreWriter(db, checkpointEveryMs);
}

export type ReadStoreWriterOptions = Readonly<{
  /** Between checkpoints; more often only when the write-ahead log has grown long. */
  checkpointEveryMs?: number;
}>;

/** A damaged file is as good as none: its rows are built anew from the log. */
function openOrStartAnew(path: string): DatabaseSync {
  const open = (): DatabaseSync => {
    const db = openDatabase(path, {
      synchronous: 'NORMAL',
      checkpointPages: CHECKPOINT_PAGES,
      cacheMiB: CACHE_MIB,
    });
    db.exec('SELECT count(*) FROM sqlite_schema'); // Reads the file: opening it does not.
    return db;
  };
  try {
    return open();
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeDatabase(path);
    return open();
  }
}

class EmbeddedReadStoreWriter implements ReadStoreWriter {
  readonly #db: DatabaseSync;
  readonly #checkpointEveryMs: number;
  #nextCheckpointMs = 0;
  #targets = new Map<string, ReadTarget>();
  /** Indexes on metadata may not be what is wanted. */
  #unsettled = true;

  constructor(db: DatabaseSync, checkpointEveryMs: number) {
    this.#db = db;
    this.#checkpointEveryMs = checkpointEveryMs;
  }

  async open(logId: Uuid, collections: readonly CollectionSpec[]) {
    const chosen = inTransaction(this.#db, () => {
      claim(this.#db, logId);
      return collections.map((spec) => choose(this.#db, spec));
    });
    this.#load(chosen);
    return new Map(
      chosen.map(({ layout, checkpoint, state }) => {
        return [layout.spec.name, { checkpoint, shadow: state === 'shadow' }];
      }),
    );
  }

  async apply(batch: readonly CollectionBatch[]): Promise<void> {
    try {
      inTransaction(this.#db, () => {
        for (const { collection, changes, checkpoint, wishes = [] } of batch) {
          this.#target(collection).apply(changes, checkpoint);
          if (wishes.length === 0) continue;
          noteWishes(this.#db, wishes);
          this.#unsettled = true;
        }
      });
    } catch (error) {
      this.#reload();
      throw error;
    }
    this.#checkpoint();
  }

  async current(collection: string, ids: readonly string[]) {
    return this.#target(collection).current(ids);
  }

  async indexMetadata(): Promise<boolean> {
    if (!this.#unsettled) return false;
    try {
      this.#unsettled = inTransaction(this.#db, () =>
        [...this.#targets.values()].map((target) => target.indexMetadata()).some(Boolean),
      );
    } catch (error) {
      this.#reload();
      throw error;
    }
    this.#checkpoint();
    return this.#unsettled;
  }

  /** In small steps: what is written in one piece holds up the flushes of the log on the same disk. */
  #checkpoint(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextCheckpointMs) return;
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    this.#nextCheckpointMs = performance.now() + this.#checkpointEveryMs;
  }

  /** The pointer moves first, alone and at once; the old tables go afterwards. */
  async swap(collection: string): Promise<void> {
    const shadow = this.#target(collection).generation;
    if (shadow.state !== 'shadow') throw new Error(`${collection} has no shadow to swap`);
    inTransaction(this.#db, () => {
      for (const { n, state, layout } of generations(this.#db)) {
        if (layout.spec.name === collection && state === 'live') {
          markGeneration(this.#db, n, 'retired');
        }
      }
      markGeneration(this.#db, shadow.n, 'live');
    });
    inTransaction(this.#db, () => dropRetired(this.#db));
    this.#reload();
  }

  async close(): Promise<void> {
    this.#targets.clear();
    this.#db.close();
  }

  #target(collection: string): ReadTarget {
    const target = this.#targets.get(collection);
    if (target === undefined) throw new Error(`Collection ${collection} was not opened`);
    return target;
  }

  #reload(): void {
    const written = new Set([...this.#targets.values()].map(({ generation }) => generation.n));
    this.#load(generations(this.#db).filter(({ n }) => written.has(n)));
  }

  #load(chosen: readonly Generation[]): void {
    this.#unsettled = true;
    const dictionary = openDictionary(this.#db);
    this.#targets = new Map(
      chosen.map((generation) => {
        return [generation.layout.spec.name, new ReadTarget(this.#db, generation, dictionary)];
      }),
    );
  }
}

/** The generation that is built for exactly this spec, live or shadow; a new one when there is none. */
function choose(db: DatabaseSync, spec: CollectionSpec): Generation {
  dropRetired(db);
  const mine = generations(db).filter(({ layout }) => layout.spec.name === spec.name);
  const isCurrent = ({ layout }: Generation) => specText(layout.spec) === specText(spec);
  const live = mine.find(({ state }) => state === 'live');
  if (live === undefined) return createGeneration(db, spec, 'live');

  const shadow = mine.find(({ state }) => state === 'shadow');
  if (shadow !== undefined && isCurrent(shadow) && !isCurrent(live)) return shadow;
  if (shadow !== undefined) dropGeneration(db, shadow);
  return isCurrent(live) ? live : createGeneration(db, spec, 'shadow');
}

function dropRetired(db: DatabaseSync): void {
  for (const generation of generations(db)) {
    if (generation.state === 'retired') dropGeneration(db, generation);
  }
}

/**
 * 64 MiB: what a rebuild writes in half a second. A page changed by many batches is folded into the file once, so
 * fewer checkpoints are less work; but beside a busy log one of this size stops its flushes for 100 ms.
 */
const CHECKPOINT_PAGES = 4096;
const CHECKPOINT_EVERY_MS = 500;
const CACHE_MIB = 64;
