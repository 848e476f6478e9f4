import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage, openDatabase } from './sqlite.ts';

/** One item of a file: its name, and its whole content as text. */
export type DumpItem = readonly [name: string, text: string];

type OpenedDump<Dump> = Dump & Readonly<{ close: () => void }>;

/**
 * Opens a derived file as of one moment, for comparison, while others may write to it. Undefined when there is none, or
 * `dumpOf` finds that it is not the one wanted: it would be rebuilt.
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
    return undefined; // Incomplete: the server that creates it has only just started.
  }
  db.close();
  return undefined;
}
