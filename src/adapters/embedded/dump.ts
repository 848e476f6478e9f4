import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage, openDatabase } from './sqlite.ts';

/** One thing a file holds: what names it, and all that is said of it. */
export type DumpItem = readonly [name: string, text: string];

type OpenedDump<Dump> = Dump & Readonly<{ close: () => void }>;

/**
 * Opens a derived file as it is at one moment, for comparison; beside whoever writes. Undefined when there is none,
 * or `dumpOf` finds that it is not the one wanted: it would be built anew.
 */
export function openDump<Dump extends object>(
  path: string,
  dumpOf: (db: DatabaseSync) => Dump | undefined,
): OpenedDump<Dump> | undefined {
  if (!existsSync(path)) return undefined;
  const db = openDatabase(path, { readOnly: true, cacheMiB: 32 });
  try {
    db.exec('BEGIN');
    const dump = dumpOf(db);
    if (dump !== undefined) return { ...dump, close: () => db.close() };
  } catch (error) {
    db.close();
    if (isDamage(error)) throw error;
    return undefined; // Half made: the server that makes it has only just begun.
  }
  db.close();
  return undefined;
}
