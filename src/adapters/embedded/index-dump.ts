import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import { openDump, type DumpItem } from './dump.ts';
import { decodeKey } from './index-key.ts';
import { indexFile, isBound, KINDS } from './index-layout.ts';
import { prepareQuery } from './sqlite.ts';

export type IndexDump = Readonly<{
  checkpoint: Position;
  items: () => Iterable<DumpItem>;
  /** Counts the items; a key that was recorded twice counts twice. */
  count: () => number;
  close: () => void;
}>;

/** Opens the journal index; undefined when there is none of this log and format. */
export const openIndexDump = (dir: string, logId: string): IndexDump | undefined =>
  openDump(indexFile(dir), (db) => {
    if (!isBound(db, logId)) return undefined;
    const select = prepareQuery<[Position]>(db, 'SELECT checkpoint FROM about');
    const selectCount = prepareQuery<[number]>(
      db,
      'SELECT (SELECT count(*) FROM entries) + (SELECT count(*) FROM journals)',
    );
    return {
      checkpoint: select.get()![0],
      items: () => itemsOf(db),
      count: () => selectCount.get()![0],
    };
  });

function* itemsOf(db: DatabaseSync): Iterable<DumpItem> {
  for (const [kind, number] of KINDS) {
    const entries = db.prepare(
      `SELECT name, key, max(revision) AS revision FROM entries JOIN journals USING (journal)
       WHERE kind = ? GROUP BY journal, key ORDER BY name, key`,
    );
    for (const { name, key, revision } of entries.iterate(number)) {
      const text = decodeKey(key as string | Uint8Array);
      yield [`${kind} ${text} of ${String(name)}`, `revision ${String(revision)}`];
    }
  }
  const reached = db.prepare('SELECT name, reached FROM journals ORDER BY name');
  for (const { name, reached: revision } of reached.iterate()) {
    yield [`the end of ${String(name)}`, `revision ${String(revision)}`];
  }
}
