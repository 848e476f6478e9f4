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
  /** As `dataBetween`, with all that the hashes cover. */
  hashedBetween: (
    from: number,
    to: number,
  ) => readonly (readonly [position: number, event: HashedEvent])[];
  /** As `dataOf`, with all that the hashes cover. */
  hashedOf: (positions: readonly number[]) => readonly (HashedEvent | undefined)[];
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
  const whole = prepareQuery<HashedTexts>(
    db,
    'SELECT type, data, metadata FROM events WHERE position = ?',
  );
  const severalWhole = prepareQuery<[...HashedTexts, number]>(
    db,
    'SELECT type, data, metadata, position FROM events WHERE position BETWEEN ? AND ?',
  );
  const scatteredWhole = prepareQuery<HashedTexts | [null, null, null]>(
    db,
    'SELECT events.type, data, metadata FROM json_each(?) LEFT JOIN events ON position = value',
  );
  return {
    data: (position) => one.get(position)?.[0],
    dataBetween: (from, to) => several.all(from, to),
    dataOf: (positions) =>
      scattered.all(JSON.stringify(positions)).map(([data]) => data ?? undefined),
    hashed: (position) => eventOf(whole.get(position)),
    hashedBetween: (from, to) =>
      severalWhole
        .all(from, to)
        .map(([type, data, metadata, position]) => [position, { type, data, metadata }]),
    hashedOf: (positions) => scatteredWhole.all(JSON.stringify(positions)).map(eventOf),
    close: () => db.close(),
  };
}

type HashedTexts = [type: string, data: string, metadata: string];

const eventOf = (row: HashedTexts | [null, null, null] | undefined): HashedEvent | undefined => {
  const [type, data, metadata] = row ?? NO_TEXTS;
  return type === null ? undefined : { type, data, metadata };
};

const NO_TEXTS = [null, null, null] as const;

const CACHE_MIB = 16;
