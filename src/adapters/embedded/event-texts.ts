import type { HashedEvent } from '#src/kernel/event-hash.ts';
import { logFile } from './log.ts';
import { openDatabase, prepareQuery } from './sqlite.ts';

/** Reads texts of events from the log by their positions, on the calling thread. */
export type EventTexts = Readonly<{
  data: (position: number) => string | undefined;
  /** Returns the data of the events from one position through another, with their positions. */
  dataBetween: (from: number, to: number) => readonly (readonly [position: number, data: string])[];
  /** Returns the data of events in the order of the positions, which may be far apart, with one statement. */
  dataOf: (positions: readonly number[]) => readonly (string | undefined)[];
  /** Returns all that the hash of an event covers. */
  hashed: (position: number) => HashedEvent | undefined;
  close: () => void;
}>;

/** Opens the log of a data folder read-only, with a connection of its own. */
export function openEventTexts(dir: string): EventTexts {
  const db = openDatabase(logFile(dir), { readOnly: true, cacheMiB: CACHE_MIB });
  const one = prepareQuery<[string]>(db, 'SELECT data FROM events WHERE position = ?');
  const several = prepareQuery<[number, string]>(
    db,
    'SELECT position, data FROM events WHERE position BETWEEN ? AND ?',
  );
  const scattered = prepareQuery<[string | null]>(
    db,
    'SELECT data FROM json_each(?) LEFT JOIN events ON position = value',
  );
  const whole = prepareQuery<[type: string, data: string, metadata: string]>(
    db,
    'SELECT type, data, metadata FROM events WHERE position = ?',
  );
  return {
    data: (position) => one.get(position)?.[0],
    dataBetween: (from, to) => several.all(from, to),
    dataOf: (positions) =>
      scattered.all(JSON.stringify(positions)).map(([data]) => data ?? undefined),
    hashed(position) {
      const [type, data, metadata] = whole.get(position) ?? [];
      return type === undefined ? undefined : { type, data: data!, metadata: metadata! };
    },
    close: () => db.close(),
  };
}

const CACHE_MIB = 16;
