import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import { DerivedDamaged, Unavailable } from '#src/ports/errors.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import {
  confirm,
  isDoubted,
  newDerivedFlags,
  withdraw,
  type DerivedFlags,
} from './derived-flags.ts';
import { openChecked, structureFlaw, type ReportRebuild } from './file-check.ts';
import { closeSealed } from './file-seal.ts';
import { createIndex, FORMAT, INDEX_OPTIONS, indexFile } from './index-layout.ts';
import { reaching, reading, UNREACHABLE } from './index-queries.ts';
import { prepareWrites, sumFlaw, type IndexWrites } from './index-writes.ts';
import { inTransaction, isDamage, openDatabase, prepareQuery, removeDatabase } from './sqlite.ts';

export type JournalIndexOptions = Readonly<{
  /** Called with the reason when an existing index is discarded. */
  told?: ReportRebuild;
  /** Shared by the owner of the file and its readers. */
  flags?: DerivedFlags;
}>;

/**
 * Opens the index of a log, `index.db`, for the one thread that writes it. An index of another log or format, or one
 * that is not exactly as it was left, is discarded and starts empty.
 *
 * Errors: Unavailable, here and in every operation; DerivedDamaged when the file is not what SQLite left there.
 */
export function openEmbeddedJournalIndex(
  dir: string,
  logId: Uuid,
  { told = () => undefined, flags = newDerivedFlags() }: JournalIndexOptions = {},
): JournalIndex {
  const path = indexFile(dir);
  if (isDoubted(flags, 'index')) removeDatabase(path); // Its owner has reported why.
  const fresh = (): OpenedIndex => {
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

type OpenedIndex = Readonly<{ db: DatabaseSync }> & IndexWrites;

/** Opens the file. Errors: the reason why it is not the index of this log and format. */
function openBoundFor(path: string, logId: Uuid): OpenedIndex {
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
