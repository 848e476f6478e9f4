import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import { UNANCHORED, type Anchor } from '#src/ports/anchor.ts';
import { DerivedDamaged, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import {
  confirm,
  isDoubted,
  lifeOf,
  newDerivedFlags,
  withdraw,
  type DerivedFlags,
} from './derived-flags.ts';
import { EntrySum, type IndexRow } from './entry-sum.ts';
import { openChecked, structureFlaw, type ToldRebuild } from './file-check.ts';
import { closeSealed } from './file-seal.ts';
import { indexEntries } from './index-entries.ts';
import { decodeKey, encodeKey } from './index-key.ts';
import { inTransaction, isDamage, openDatabase, prepareQuery, removeDatabase } from './sqlite.ts';

export type JournalIndexOptions = Readonly<{
  /** Told why an index that is there is not used. */
  told?: ToldRebuild;
  /** Shared by the owner of the file and its readers. */
  flags?: DerivedFlags;
}>;

/**
 * Opens the index of a log, `index.db`, for the one thread that writes it. An index of another log or format, or one in
 * which anything is not as it was left, is forgotten and starts empty.
 *
 * Errors: Unavailable, here and in every operation; DerivedDamaged when the file is not what SQLite left there.
 */
export function openEmbeddedJournalIndex(
  dir: string,
  logId: Uuid,
  { told = () => undefined, flags = newDerivedFlags() }: JournalIndexOptions = {},
): JournalIndex {
  const path = indexFile(dir);
  if (isDoubted(flags, 'index')) removeDatabase(path); // Its owner has told why.
  const fresh = (): Opened => {
    const db = openDatabase(path, INDEX_OPTIONS);
    createIndex(db, logId);
    return { db, ...prepareWrites(db) };
  };
  let own = reaching(() =>
    openChecked(path, {
      open: () => openBoundFor(path, logId),
      check: ({ db }, sealed) => (sealed ? undefined : (structureFlaw(db, path) ?? sumFlaw(db))),
      make: fresh,
      told,
    }),
  );
  confirm(flags, 'index');

  const owned = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      if (!isDamage(cause)) throw new Unavailable(UNREACHABLE, { cause });
      withdraw(flags, 'index', true);
      throw new DerivedDamaged(`The journal index is damaged: ${String(cause)}`, { cause });
    }
  };

  return {
    ...reading(async (work) => owned(() => work(own.queries))),
    apply: async (batch) => owned(() => inTransaction(own.db, () => own.write(batch))),
    async doubt() {
      withdraw(flags, 'index', true);
    },
    flaw: async () => (isDoubted(flags, 'index') ? 'a look-up found it wrong' : undefined),
    async forget() {
      withdraw(flags, 'index', false);
      own.db.close();
      removeDatabase(path);
      own = reaching(fresh);
      confirm(flags, 'index');
    },
    async close() {
      if (!own.db.isOpen) return;
      withdraw(flags, 'index', isDoubted(flags, 'index'));
      if (isDoubted(flags, 'index')) own.db.close();
      else closeSealed(own.db, path);
    },
  };
}

/**
 * Opens the index of a log for a thread that only reads it, which may be before the writing thread has made it: until
 * then it is empty. While the owner has not confirmed the file, look-ups wait for a moment, and are then Unavailable.
 */
export function openEmbeddedJournalIndexReader(
  dir: string,
  logId: Uuid,
  flags: DerivedFlags = trustingFlags(),
): JournalIndex {
  let life = 0;
  let db: DatabaseSync | undefined;
  let queries: Queries | undefined;

  const reopen = (now: number): void => {
    db?.close();
    db = openBound(dir, logId, true);
    queries = db && prepareQueries(db);
    life = now;
  };
  const confirmed = async <Result>(work: (queries: Queries | undefined) => Result) => {
    for (let waitedMs = 0; lifeOf(flags, 'index') === 0; waitedMs += POLL_MS) {
      if (waitedMs >= WAIT_MS) throw new Unavailable('The journal index is being checked or built');
      await sleep(POLL_MS);
    }
    try {
      const now = lifeOf(flags, 'index');
      if (now !== life || queries === undefined) reopen(now);
      return work(queries);
    } catch (cause) {
      if (cause instanceof Unavailable) throw cause;
      if (isDamage(cause)) withdraw(flags, 'index', true);
      throw new Unavailable(UNREACHABLE, { cause });
    }
  };
  /** What a wrong answer to does no harm: look-ups are confirmed before they are believed. */
  const unconfirmed = async <Result>(work: (queries: Queries | undefined) => Result) => {
    if (lifeOf(flags, 'index') !== 0) return confirmed(work);
    const own = openBound(dir, logId, true);
    try {
      return reaching(() => work(own && prepareQueries(own)));
    } finally {
      own?.close();
    }
  };

  const { find, list } = reading(confirmed);
  const { indexed, checkpoint, anchor } = reading(unconfirmed);
  const notOurs = async (): Promise<never> => {
    throw new Error('This index was opened for reading');
  };
  return {
    ...{ find, list, indexed, checkpoint, anchor },
    apply: notOurs,
    forget: notOurs,
    async doubt() {
      withdraw(flags, 'index', true);
    },
    flaw: async () => undefined,
    async close() {
      if (db?.isOpen === true) db.close();
    },
  };
}

type Opened = Readonly<{
  db: DatabaseSync;
  queries: Queries;
  write: (batch: IndexBatch) => void;
}>;

function prepareWrites(db: DatabaseSync): Omit<Opened, 'db'> {
  const insertJournal = db.prepare('INSERT INTO journals (name, reached) VALUES (?, ?)');
  const updateReached = db.prepare('UPDATE journals SET reached = ? WHERE journal = ?');
  const updateAbout = db.prepare('UPDATE about SET checkpoint = ?, hash = ?, sum_a = ?, sum_b = ?');
  const rows = indexEntries(db);
  const queries = prepareQueries(db);

  const knownJournal = (name: string, sum: EntrySum): Known => {
    const known = queries.journal(name);
    if (known !== undefined) return known;
    const number = Number(insertJournal.run(name, NONE).lastInsertRowid);
    sum.add(journalRow(number, name, NONE));
    return { number, reached: NONE };
  };

  const write = ({ entries, reached, checkpoint, hash = '' }: IndexBatch): void => {
    if (checkpoint <= queries.checkpoint()) return; // It is in already.
    const sum = new EntrySum(...queries.sum());
    const journals = new Map<string, Known>();
    const known = (name: string): Known => {
      const journal = journals.get(name) ?? knownJournal(name, sum);
      journals.set(name, journal);
      return journal;
    };
    rows.discard(); // What a transaction that failed left.
    for (const { journal, kind, key, revision } of entries) {
      const place = { kind: KINDS[kind], journal: known(journal).number, key: encodeKey(key) };
      if (revision === null) rows.remove(place, sum);
      else rows.add({ ...place, revision }, sum);
    }
    rows.flush(sum);
    for (const [name, revision] of reached) {
      const { number, reached: before } = known(name);
      sum.remove(journalRow(number, name, before));
      sum.add(journalRow(number, name, revision));
      updateReached.run(revision, number);
    }
    updateAbout.run(checkpoint, hash, ...sum.parts);
  };
  return { queries, write };
}

type Known = Readonly<{ number: number; reached: Revision }>;

const journalRow = (journal: number, name: string, reached: Revision): IndexRow => ({
  ...{ kind: 0, journal, key: name, revision: reached },
});

/** Whether every row is there, and none has changed. */
function sumFlaw(db: DatabaseSync): string | undefined {
  const sum = new EntrySum();
  const journals = prepareQuery<[number, string, Revision]>(
    db,
    'SELECT journal, name, reached FROM journals',
  );
  for (const [journal, name, reached] of journals.all()) sum.add(journalRow(journal, name, reached));
  const after = prepareQuery<[number, number, string | Uint8Array, Revision]>(
    db,
    `SELECT kind, journal, key, revision FROM entries
     WHERE (kind, journal, key, revision) > (?, ?, ?, ?) ORDER BY 1, 2, 3, 4 LIMIT ${ROWS_AT_ONCE}`,
  );
  let last: [number, number, string | Uint8Array, Revision] | undefined = [0, 0, '', 0];
  while (last !== undefined) {
    const rows = after.all(...last);
    for (const [kind, journal, key, revision] of rows) sum.add({ kind, journal, key, revision });
    last = rows.at(-1);
  }
  const kept = new EntrySum(...prepareQueries(db).sum());
  return sum.equals(kept) ? undefined : 'its entries are not those that were written';
}

type Queries = ReturnType<typeof prepareQueries>;

function prepareQueries(db: DatabaseSync) {
  const selectJournal = prepareQuery<[number: number, reached: Revision]>(
    db,
    'SELECT journal, reached FROM journals WHERE name = ?',
  );
  const selectEntry = prepareQuery<[Revision]>(
    db,
    `SELECT revision FROM entries WHERE kind = ? AND journal = ? AND key = ?
     ORDER BY revision DESC LIMIT 1`,
  );
  const selectKind = prepareQuery<[journal: string, key: string | Uint8Array]>(
    db,
    `SELECT name, key FROM entries JOIN journals USING (journal) WHERE kind = ?
     GROUP BY journal, key ORDER BY journal, max(revision)`,
  );
  const selectAnchor = prepareQuery<[Position, string]>(db, 'SELECT checkpoint, hash FROM about');
  const selectSum = prepareQuery<[number, number]>(db, 'SELECT sum_a, sum_b FROM about');
  return {
    journal(name: string) {
      const [number, reached] = selectJournal.get(name) ?? [];
      return number === undefined ? undefined : { number, reached: reached ?? NONE };
    },
    entry: (kind: IndexKind, journal: number, key: string): Revision | undefined =>
      selectEntry.get(KINDS[kind], journal, encodeKey(key))?.[0],
    entries: (kind: IndexKind) =>
      selectKind.all(KINDS[kind]).map(([journal, key]) => ({ journal, key: decodeKey(key) })),
    checkpoint: (): Position => selectAnchor.get()?.[0] ?? START,
    anchor(): Anchor {
      const [position, hash] = selectAnchor.get() ?? [START, ''];
      return { position, hash };
    },
    sum: (): [number, number] => selectSum.get() ?? [0, 0],
  };
}

/** The reading half of the port; `ask` hands over undefined while there is no index. */
function reading(
  ask: <Result>(work: (queries: Queries | undefined) => Result) => Promise<Result>,
): Pick<JournalIndex, 'find' | 'list' | 'indexed' | 'checkpoint' | 'anchor'> {
  return {
    find: (journal, kind, keys, through = NONE) =>
      ask((queries) => {
        const found = new Map<string, Revision>();
        const known = queries?.journal(journal);
        if ((known?.reached ?? NONE) < through) throw notThatFar(journal, through);
        if (queries === undefined || known === undefined) return found;
        for (const key of keys) {
          const revision = queries.entry(kind, known.number, key);
          if (revision !== undefined) found.set(key, revision);
        }
        return found;
      }),
    list: (kind) => ask((queries) => queries?.entries(kind) ?? []),
    indexed: (journal) => ask((queries) => queries?.journal(journal)?.reached ?? NONE),
    checkpoint: () => ask((queries) => queries?.checkpoint() ?? START),
    anchor: () => ask((queries) => queries?.anchor() ?? UNANCHORED),
  };
}

function createIndex(db: DatabaseSync, logId: Uuid): void {
  inTransaction(db, () => {
    db.exec(SCHEMA);
    db.prepare("INSERT INTO about VALUES (?, ?, ?, '', 0, 0)").run(logId, FORMAT, START);
  });
}

/** Errors: why it is not the index of this log and format. */
function openBoundFor(path: string, logId: Uuid): Opened {
  const db = openDatabase(path, INDEX_OPTIONS);
  try {
    const select = prepareQuery<[string, number]>(db, 'SELECT log_id, format FROM about');
    const [theirs, format] = select.get() ?? [];
    if (theirs === undefined) throw new Error('it was never finished');
    if (theirs !== logId) throw new Error(`it was built from another log (${theirs})`);
    if (format !== FORMAT) throw new Error('it has the format of another release');
    return { db, ...prepareWrites(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The index if there is one of this log and format. */
function openBound(dir: string, logId: Uuid, readOnly: boolean): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = openDatabase(indexFile(dir), { ...INDEX_OPTIONS, readOnly });
    if (isBound(db, logId)) return db;
  } catch {
    // Missing, half made or damaged: as good as none, because it is rebuilt from the log.
  }
  db?.close();
  return undefined;
}

function reaching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new Unavailable(UNREACHABLE, { cause });
  }
}

/** Whether it is the index of this log, in this program's format. */
export function isBound(db: DatabaseSync, logId: string): boolean {
  const about = prepareQuery<[string, number]>(db, 'SELECT log_id, format FROM about').get();
  return about?.[0] === logId && about[1] === FORMAT;
}

function trustingFlags(): DerivedFlags {
  const flags = newDerivedFlags();
  confirm(flags, 'index');
  return flags;
}

const notThatFar = (journal: string, through: Revision): Unavailable =>
  new Unavailable(`The journal index does not hold ${journal} up to ${String(through)} yet`);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const UNREACHABLE = 'The journal index cannot be reached';
const POLL_MS = 10;
/** Somebody waits for the answer: longer than that, they had better come again. */
const WAIT_MS = 2000;
const ROWS_AT_ONCE = 5000;

export const indexFile = (dir: string): string => join(dir, 'index.db');

/** Bump when what is in the file changes its meaning: the index is then rebuilt from the log. */
const FORMAT = 2;
const INDEX_OPTIONS = { synchronous: 'NORMAL', checkpointPages: 2000, cacheMiB: 32 } as const;
export const KINDS: Readonly<Record<IndexKind, number>> = {
  idempotency: 1,
  transaction: 2,
  open: 3,
  reversal: 4,
  group: 5,
  value: 6,
};

/**
 * Kind leads the key, so that `list` walks only what it returns. A later entry of a key stands beside the earlier ones:
 * what was there need not be looked up to keep the sum.
 */
const SCHEMA = `
  CREATE TABLE about (
    log_id TEXT NOT NULL, format INTEGER NOT NULL, checkpoint TEXT NOT NULL, hash TEXT NOT NULL,
    sum_a INTEGER NOT NULL, sum_b INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE journals (
    journal INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, reached INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    kind INTEGER NOT NULL, journal INTEGER NOT NULL, key ANY NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (kind, journal, key, revision)
  ) STRICT, WITHOUT ROWID;
`;
