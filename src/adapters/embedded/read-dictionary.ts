import type { DatabaseSync } from 'node:sqlite';
import type { KeyValue } from '#src/ports/read-store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { prepareQuery } from './sqlite.ts';

/** Gives each text that repeats in keys a permanent number. Must be recreated after a failed transaction. */
export type Dictionary = (text: KeyValue) => number;

export function openDictionary(db: DatabaseSync): Dictionary {
  const known = new BoundedCache<KeyValue, number>(REMEMBERED);
  const find = prepareQuery<[number]>(db, 'SELECT n FROM dictionary WHERE text = ?');
  const insert = db.prepare('INSERT INTO dictionary (text) VALUES (?)');
  return (text) => {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    const n = find.get(text)?.[0] ?? Number(insert.run(text).lastInsertRowid);
    known.set(text, n);
    return n;
  };
}

const REMEMBERED = 250_000;
