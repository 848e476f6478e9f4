import { join } from 'node:path';
import { Fenced, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position } from '#src/ports/event-store.ts';
import { openDatabase, prepareQuery } from './sqlite.ts';

/**
 * Opens the checkpoints of the relay's lanes, `relay.db` of a data folder. They cannot be derived from the log, so each
 * is on disk once saved. Errors: Unavailable; a damaged file is not recreated.
 */
export function openEmbeddedCheckpointStore(dir: string): CheckpointStore {
  const db = reaching(() => {
    const opened = openDatabase(join(dir, 'relay.db'), { synchronous: 'FULL' });
    try {
      opened.exec(SCHEMA);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const selectAll = prepareQuery<[string, Position, number]>(
    db,
    'SELECT lane, position, done FROM lanes ORDER BY lane',
  );
  const selectFence = prepareQuery<[number]>(db, 'SELECT fence FROM lanes WHERE lane = ?');
  const upsert = db.prepare(`
    INSERT INTO lanes VALUES (?, ?, ?, ?) ON CONFLICT (lane) DO UPDATE
    SET position = excluded.position, done = excluded.done, fence = excluded.fence
    WHERE (excluded.position, excluded.done) > (position, done) AND excluded.fence >= fence`);

  const update = db.prepare(
    'UPDATE lanes SET position = ?, done = ?, fence = ? WHERE lane = ? AND fence <= ?',
  );

  return {
    async load() {
      const found = reaching(() => selectAll.all());
      return new Map(found.map(([lane, position, done]) => [lane, { position, done }]));
    },

    async save(lane, { position, done }, fence) {
      const { changes } = reaching(() => upsert.run(lane, position, done, fence));
      if (changes === 1) return;
      const written = reaching(() => selectFence.get(lane))?.[0] ?? fence;
      if (written > fence) throw new Fenced(lane, fence);
    },

    async setBack(lane, { position, done }, fence) {
      const { changes } = reaching(() => update.run(position, done, fence, lane, fence));
      if (changes === 0 && reaching(() => selectFence.get(lane)) !== undefined) {
        throw new Fenced(lane, fence);
      }
    },

    async close() {
      if (db.isOpen) db.close();
    },
  };
}

function reaching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new Unavailable('The checkpoints of the relay cannot be reached', { cause });
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS lanes (
    lane TEXT PRIMARY KEY, position TEXT NOT NULL, done INTEGER NOT NULL, fence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
