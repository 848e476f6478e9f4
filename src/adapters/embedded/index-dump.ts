import { existsSync } from 'node:fs';
import type { Position } from '#src/ports/event-store.ts';
import { decodeKey } from './index-key.ts';
import { indexFile, isBound, KINDS } from './journal-index.ts';
import type { Item } from './read-dump.ts';
import { isDamage, openDatabase, prepareQuery } from './sqlite.ts';

export type IndexDump = Readonly<{
  checkpoint: Position;
  items: () => Iterable<Item>;
  close: () => void;
}>;

/** The journal index as it is at one moment; undefined when there is none of this log and format. */
export function openIndexDump(dir: string, logId: string): IndexDump | undefined {
  if (!existsSync(indexFile(dir))) return undefined;
  const db = openDatabase(indexFile(dir), { readOnly: true, cacheMiB: 32 });
  try {
    db.exec('BEGIN');
    if (isBound(db, logId)) {
      const select = prepareQuery<[Position]>(db, 'SELECT checkpoint FROM about');
      return {
        checkpoint: select.get()![0],
        *items() {
          for (const [kind, number] of Object.entries(KINDS)) {
            const entries = db.prepare(
              `SELECT name, key, revision FROM entries JOIN journals USING (journal)
               WHERE kind = ? ORDER BY name, key`,
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
        },
        close: () => db.close(),
      };
    }
  } catch (error) {
    db.close();
    if (isDamage(error)) throw error;
    return undefined; // Half made: the server that makes it has only just begun.
  }
  db.close();
  return undefined;
}
