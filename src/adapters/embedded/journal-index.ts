import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import { decodeKey, encodeKey } from './index-key.ts';
import { bulkInsert } from './read-bulk.ts';
import { inTransaction, openDatabase, prepareQuery, removeDatabase } from './sqlite.ts';

/**
 * Opens the index of a log, `index.db`, for the one thread that writes it. An index of another log or
 * format, or one that cannot be read, is forgotten and starts empty.
 *
 * Errors: Unavailable, here and in every operation.
 */
export function openEmbeddedJournalIndex(dir: string, logId: Uuid): JournalIndex {
  const db = reaching(() => openOrStartAnew(dir, logId));
  const insertJournal = db.prepare('INSERT INTO journals (name, reached) VALUES (?, ?)');
  const updateReached = db.prepare('UPDATE journals SET reached = ? WHERE journal = ?');
  const after = 'ON CONFLICT DO UPDATE SET revision = excluded.revision';
  const upsertEntries = bulkInsert(db, 'INSERT INTO entries', 4, after);
  const deleteEntry = db.prepare('DELETE FROM entries WHERE kind = ? AND journal = ? AND key = ?');
  const updateCheckpoint = db.prepare('UPDATE about SET checkpoint = ?');
  const queries = prepareQueries(db);

  const numberOf = (journal: string): number =>
    queries.journal(journal)?.number ?? Number(insertJournal.run(journal, NONE).lastInsertRowid);

  const write = ({ entries, reached, checkpoint }: IndexBatch): void => {
    if (checkpoint <= queries.checkpoint()) return; // It is in already.
    const numbers = new Map<string, number>();
    const known = (journal: string): number => {
      const number = numbers.get(journal) ?? numberOf(journal);
      numbers.set(journal, number);
      return number;
    };
    upsertEntries.discard(); // What a transaction that failed left.
    for (const { journal, kind, key, revision } of entries) {
      if (revision !== null) {
        upsertEntries.add(KINDS[kind], known(journal), encodeKey(key), revision);
        continue;
      }
      upsertEntries.flush(); // Of one key, the last one counts.
      deleteEntry.run(KINDS[kind], known(journal), encodeKey(key));
    }
    upsertEntries.flush();
    for (const [journal, revision] of reached) updateReached.run(revision, known(journal));
    updateCheckpoint.run(checkpoint);
  };

  return {
    ...reading(() => queries),
    apply: async (batch) => reaching(() => inTransaction(db, () => write(batch))),
    async close() {
      if (db.isOpen) db.close();
    },
  };
}

/**
 * Opens the index of a log for a thread that only reads it, which may be before the writing thread has
 * made it: until then it is empty.
 */
export function openEmbeddedJournalIndexReader(dir: string, logId: Uuid): JournalIndex {
  let db: DatabaseSync | undefined;
  let queries: Queries | undefined;
  return {
    ...reading(() => {
      if (queries !== undefined) return queries;
      db = openBound(dir, logId, true);
      return (queries = db && prepareQueries(db));
    }),
    async apply() {
      throw new Error('This index was opened for reading');
    },
    async close() {
      if (db?.isOpen === true) db.close();
    },
  };
}

type Queries = ReturnType<typeof prepareQueries>;

function prepareQueries(db: DatabaseSync) {
  const selectJournal = prepareQuery<[number: number, reached: Revision]>(
    db,
    'SELECT journal, reached FROM journals WHERE name = ?',
  );
  const selectEntry = prepareQuery<[Revision]>(
    db,
    'SELECT revision FROM entries WHERE kind = ? AND journal = ? AND key = ?',
  );
  const selectKind = prepareQuery<[journal: string, key: string | Uint8Array]>(
    db,
    `SELECT name, key FROM entries JOIN journals USING (journal) WHERE kind = ?
     ORDER BY journal, revision`,
  );
  const selectCheckpoint = prepareQuery<[Position]>(db, 'SELECT checkpoint FROM about');
  return {
    journal(name: string) {
      const [number, reached] = selectJournal.get(name) ?? [];
      return number === undefined ? undefined : { number, reached: reached ?? NONE };
    },
    entry: (kind: IndexKind, journal: number, key: string): Revision | undefined =>
      selectEntry.get(KINDS[kind], journal, encodeKey(key))?.[0],
    entries: (kind: IndexKind) =>
      selectKind.all(KINDS[kind]).map(([journal, key]) => ({ journal, key: decodeKey(key) })),
    checkpoint: (): Position => selectCheckpoint.get()?.[0] ?? START,
  };
}

/** The reading half of the port; `ready` answers undefined while there is no index. */
function reading(
  ready: () => Queries | undefined,
): Pick<JournalIndex, 'find' | 'list' | 'indexed' | 'checkpoint'> {
  return {
    async find(journal, kind, keys) {
      return reaching(() => {
        const found = new Map<string, Revision>();
        const queries = ready();
        const number = queries?.journal(journal)?.number;
        if (queries === undefined || number === undefined) return found;
        for (const key of keys) {
          const revision = queries.entry(kind, number, key);
          if (revision !== undefined) found.set(key, revision);
        }
        return found;
      });
    },
    list: async (kind) => reaching(() => ready()?.entries(kind) ?? []),
    indexed: async (journal) => reaching(() => ready()?.journal(journal)?.reached ?? NONE),
    checkpoint: async () => reaching(() => ready()?.checkpoint() ?? START),
  };
}

function openOrStartAnew(dir: string, logId: Uuid): DatabaseSync {
  const bound = openBound(dir, logId, false);
  if (bound !== undefined) return bound;

  removeDatabase(indexFile(dir));
  const db = openDatabase(indexFile(dir), INDEX_OPTIONS);
  inTransaction(db, () => {
    db.exec(SCHEMA);
    db.prepare('INSERT INTO about VALUES (?, ?, ?)').run(logId, FORMAT, START);
  });
  return db;
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
    throw new Unavailable('The journal index cannot be reached', { cause });
  }
}

/** Whether it is the index of this log, in this program's format. */
export function isBound(db: DatabaseSync, logId: string): boolean {
  const about = prepareQuery<[string, number]>(db, 'SELECT log_id, format FROM about').get();
  return about?.[0] === logId && about[1] === FORMAT;
}

export const indexFile = (dir: string): string => join(dir, 'index.db');

/** Bump when what is in the file changes its meaning: the index is then rebuilt from the log. */
const FORMAT = 1;
const INDEX_OPTIONS = { synchronous: 'NORMAL', checkpointPages: 2000, cacheMiB: 32 } as const;
export const KINDS: Readonly<Record<IndexKind, number>> = {
  idempotency: 1,
  transaction: 2,
  open: 3,
  reversal: 4,
  group: 5,
  value: 6,
};

/** Kind leads the key, so that `list` walks only what it returns. */
const SCHEMA = `
  CREATE TABLE about (log_id TEXT NOT NULL, format INTEGER NOT NULL, checkpoint TEXT NOT NULL) STRICT;
  CREATE TABLE journals (
    journal INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, reached INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    kind INTEGER NOT NULL, journal INTEGER NOT NULL, key ANY NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (kind, journal, key)
  ) STRICT, WITHOUT ROWID;
`;
