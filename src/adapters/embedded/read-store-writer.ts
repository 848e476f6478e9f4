import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Anchor } from '#src/ports/anchor.ts';
import { DerivedDamaged } from '#src/ports/errors.ts';
import type { CollectionBatch, CollectionSpec, ReadStoreWriter } from '#src/ports/read-store.ts';
import {
  claim,
  createGeneration,
  dropGeneration,
  forget,
  generations,
  markGeneration,
  type Generation,
} from './read-catalog.ts';
import {
  confirm,
  isDoubted,
  newDerivedFlags,
  withdraw,
  type DerivedFlags,
} from './derived-flags.ts';
import { openChecked, structureFlaw, type ReportRebuild } from './file-check.ts';
import { closeSealed } from './file-seal.ts';
import type { LoggedBodies } from './logged-bodies.ts';
import { openDictionary } from './read-dictionary.ts';
import { READ_FILE, specText } from './read-layout.ts';
import { noteWishes } from './read-metadata.ts';
import { EmbeddedReadTarget } from './read-target.ts';
import { inTransaction, isDamage, isOutside, openDatabase, removeDatabase } from './sqlite.ts';

/**
 * Opens the writing side of read.db for the one projector thread: every method is synchronous, on its own connection. A
 * power cut may lose the last batches, each as a whole and with its checkpoint: the log still has them.
 */
export function openEmbeddedReadStoreWriter(
  dir: string,
  options: ReadStoreWriterOptions = {},
): ReadStoreWriter {
  const path = join(dir, READ_FILE);
  const {
    checkpointEveryMs = CHECKPOINT_EVERY_MS,
    told = () => undefined,
    flags = newDerivedFlags(),
    bodies,
  } = options;
  if (isDoubted(flags, 'read')) removeDatabase(path); // Its owner has reported why.
  const { db } = openChecked(path, {
    open: () => ({ db: openRows(path) }),
    check: ({ db: opened }, sealed) => (sealed ? undefined : structureFlaw(opened, path)),
    make: () => ({ db: openRows(path) }),
    told,
  });
  return new EmbeddedReadStoreWriter(db, { path, checkpointEveryMs, told, flags, bodies });
}

export type ReadStoreWriterOptions = Readonly<{
  /** Milliseconds between checkpoints; they are more frequent only while the write-ahead log is long. */
  checkpointEveryMs?: number;
  /** Called with the reason when existing rows are discarded. */
  told?: ReportRebuild;
  /** Shared with the readers of the file. */
  flags?: DerivedFlags;
  /** The bodies that can be read from the log of the same folder; without them, all are stored. */
  bodies?: LoggedBodies | undefined;
}>;

function openRows(path: string): DatabaseSync {
  const db = openDatabase(path, {
    synchronous: 'NORMAL',
    checkpointPages: CHECKPOINT_PAGES,
    cacheMiB: CACHE_MIB,
  });
  try {
    db.exec('SELECT count(*) FROM sqlite_schema'); // Reads the file: opening alone does not.
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

type WriterSettings = Readonly<Required<ReadStoreWriterOptions> & { path: string }>;

class EmbeddedReadStoreWriter implements ReadStoreWriter {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #checkpointEveryMs: number;
  readonly #told: ReportRebuild;
  readonly #flags: DerivedFlags;
  readonly #bodies: LoggedBodies | undefined;
  #logId: Uuid | undefined;
  #nextCheckpointMs = 0;
  #targets = new Map<string, EmbeddedReadTarget>();
  /** Indexes on metadata may differ from the requested ones. */
  #unsettled = true;

  constructor(db: DatabaseSync, { path, checkpointEveryMs, told, flags, bodies }: WriterSettings) {
    this.#db = db;
    this.#path = path;
    this.#checkpointEveryMs = checkpointEveryMs;
    this.#told = told;
    this.#flags = flags;
    this.#bodies = bodies;
  }

  async open(logId: Uuid, collections: readonly CollectionSpec[]) {
    const chosen = this.#guarded(
      (error) => !isOutside(error),
      () => {
        const found = inTransaction(this.#db, () => {
          claim(this.#db, logId, this.#told);
          return collections.map((spec) => choose(this.#db, this.#stored(spec)));
        });
        this.#load(found);
        return found;
      },
    );
    this.#logId = logId;
    confirm(this.#flags, 'read');
    return new Map(
      chosen.map(({ layout, checkpoint, state }) => {
        return [layout.spec.name, { checkpoint, shadow: state === 'shadow' }];
      }),
    );
  }

  async anchors(): Promise<readonly Anchor[]> {
    return generations(this.#db)
      .filter(({ state }) => state !== 'retired')
      .map(({ checkpoint, hash }) => ({ position: checkpoint, hash }));
  }

  async forget(): Promise<void> {
    this.#targets.clear();
    inTransaction(this.#db, () => forget(this.#db, this.#logId!));
  }

  async apply(batch: readonly CollectionBatch[]): Promise<void> {
    this.#write(() => {
      for (const { collection, changes, checkpoint, hash, wishes = [] } of batch) {
        this.#target(collection).apply(changes, checkpoint, hash);
        if (wishes.length === 0) continue;
        noteWishes(this.#db, wishes);
        this.#unsettled = true;
      }
    });
  }

  async current(collection: string, ids: readonly string[]) {
    return this.#guarded(isDamage, () => this.#target(collection).current(ids));
  }

  async indexMetadata(): Promise<boolean> {
    if (!this.#unsettled) return false;
    this.#write(() => {
      this.#unsettled = [...this.#targets.values()]
        .map((target) => target.indexMetadata())
        .some(Boolean);
    });
    return this.#unsettled;
  }

  #write(work: () => void): void {
    this.#guarded(isDamage, () => {
      try {
        inTransaction(this.#db, work);
      } catch (error) {
        if (!isDamage(error)) this.#reload();
        throw error;
      }
      this.#checkpoint();
    });
  }

  /** Withdraws a damaged file from readers; the next one to open it rebuilds it. */
  #guarded<Result>(isDamaged: (error: unknown) => boolean, work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      if (!isDamaged(cause)) throw cause;
      withdraw(this.#flags, 'read', true);
      throw new DerivedDamaged(`The read models are damaged: ${String(cause)}`, { cause });
    }
  }

  /** Checkpoints in small steps: one large write delays the flushes of the log on the same disk. */
  #checkpoint(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextCheckpointMs) return;
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    this.#nextCheckpointMs = performance.now() + this.#checkpointEveryMs;
  }

  /** Moves the pointer first, in its own transaction; the old tables are dropped later. */
  async swap(collection: string): Promise<void> {
    const shadow = this.#target(collection).generation;
    if (shadow.state !== 'shadow') throw new Error(`${collection} has no shadow to swap`);
    this.#guarded(isDamage, () => {
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
    });
  }

  async close(): Promise<void> {
    this.#targets.clear();
    this.#bodies?.close();
    if (!this.#db.isOpen) return;
    if (isDoubted(this.#flags, 'read')) this.#db.close();
    else closeSealed(this.#db, this.#path);
  }

  #stored(spec: CollectionSpec): CollectionSpec {
    if (this.#bodies !== undefined) return spec;
    const { bodyFromLog: _, ...whole } = spec;
    return whole;
  }

  #target(collection: string): EmbeddedReadTarget {
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
        return [
          generation.layout.spec.name,
          new EmbeddedReadTarget(this.#db, generation, { dictionary, bodies: this.#bodies }),
        ];
      }),
    );
  }
}

/** Returns the generation built for exactly this spec, live or shadow; a new one when there is none. */
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
 * 64 MiB: half a second of a rebuild's writes. A page changed by many batches is folded into the file once, so fewer
 * checkpoints are less work; but next to a busy log one of this size blocks its flushes for 100 ms.
 */
const CHECKPOINT_PAGES = 4096;
const CHECKPOINT_EVERY_MS = 500;
const CACHE_MIB = 64;
