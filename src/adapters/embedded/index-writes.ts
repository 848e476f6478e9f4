import type { DatabaseSync } from 'node:sqlite';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { IndexBatch } from '#src/ports/journal-index.ts';
import { EntrySum, type IndexRow } from './entry-sum.ts';
import { indexEntries } from './index-entries.ts';
import { encodeKey } from './index-key.ts';
import { numberOf } from './index-layout.ts';
import { prepareQueries, type Queries } from './index-queries.ts';
import { prepareQuery } from './sqlite.ts';

export type IndexWrites = Readonly<{
  queries: Queries;
  write: (batch: IndexBatch) => void;
}>;

export function prepareWrites(db: DatabaseSync): IndexWrites {
  const insertJournal = db.prepare('INSERT INTO journals (name, reached) VALUES (?, ?)');
  const updateReached = db.prepare('UPDATE journals SET reached = ? WHERE journal = ?');
  const updateAbout = db.prepare('UPDATE about SET checkpoint = ?, hash = ?, sum_a = ?, sum_b = ?');
  const rows = indexEntries(db);
  const queries = prepareQueries(db);

  const knownJournal = (name: string, sum: EntrySum): KnownJournal => {
    const known = queries.journal(name);
    if (known !== undefined) return known;
    const number = Number(insertJournal.run(name, NONE).lastInsertRowid);
    sum.add(journalRow(number, name, NONE));
    return { number, reached: NONE };
  };

  const write = ({ entries, reached, checkpoint, hash = '' }: IndexBatch): void => {
    if (checkpoint <= queries.checkpoint()) return; // The batch is already in the index.
    const sum = new EntrySum(...queries.sum());
    const journals = new Map<string, KnownJournal>();
    const known = (name: string): KnownJournal => {
      const journal = journals.get(name) ?? knownJournal(name, sum);
      journals.set(name, journal);
      return journal;
    };
    rows.discard(); // Left by a failed transaction.
    for (const { journal, kind, key, revision } of entries) {
      const place = { kind: numberOf(kind), journal: known(journal).number, key: encodeKey(key) };
      if (revision === null) rows.remove(place, sum);
      else rows.add({ kind: place.kind, journal: place.journal, key: place.key, revision }, sum);
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

type KnownJournal = Readonly<{ number: number; reached: Revision }>;

const journalRow = (journal: number, name: string, reached: Revision): IndexRow => ({
  ...{ kind: 0, journal, key: name, revision: reached },
});

/** Returns a flaw unless every row is there and unchanged. */
export function sumFlaw(db: DatabaseSync): string | undefined {
  const sum = new EntrySum();
  const journals = prepareQuery<[number, string, Revision]>(
    db,
    'SELECT journal, name, reached FROM journals',
  );
  for (const [journal, name, reached] of journals.all())
    sum.add(journalRow(journal, name, reached));
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

const ROWS_AT_ONCE = 5000;
