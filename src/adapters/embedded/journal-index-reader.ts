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
 * Opens the index of a log for a thread that only reads it, possibly before the writing thread has created it: until
 * then it is empty. While the owner has not confirmed the file, lookups wait briefly, and are then Unavailable.
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
  /** Runs queries for which a wrong result does no harm: lookups are confirmed before they are trusted. */
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

/** Opens the index if there is one of this log and format. */
function openBound(dir: string, logId: Uuid): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = openDatabase(indexFile(dir), { ...INDEX_OPTIONS, readOnly: true });
    if (isBound(db, logId)) return db;
  } catch {
    // Missing, incomplete or damaged: treated as absent, because it is built from the log.
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
/** A client is waiting for the result: beyond this it had better retry. */
const WAIT_MS = 2000;
