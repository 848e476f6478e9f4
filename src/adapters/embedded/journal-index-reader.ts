import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import { confirm, lifeOf, newDerivedFlags, withdraw, type DerivedFlags } from './derived-flags.ts';
import { INDEX_OPTIONS, indexFile, isBound } from './index-layout.ts';
import { prepareQueries, reaching, reading, UNREACHABLE, type Queries } from './index-queries.ts';
import { isDamage, openDatabase } from './sqlite.ts';

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
    db = openBound(dir, logId);
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
    const own = openBound(dir, logId);
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

/** The index if there is one of this log and format. */
function openBound(dir: string, logId: Uuid): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = openDatabase(indexFile(dir), { ...INDEX_OPTIONS, readOnly: true });
    if (isBound(db, logId)) return db;
  } catch {
    // Missing, half made or damaged: as good as none, because it is built from the log.
  }
  db?.close();
  return undefined;
}

function trustingFlags(): DerivedFlags {
  const flags = newDerivedFlags();
  confirm(flags, 'index');
  return flags;
}

const POLL_MS = 10;
/** Somebody waits for the answer: longer than that, they had better come again. */
const WAIT_MS = 2000;
