import { join } from 'node:path';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import { Fenced, type Checkpoint, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position } from '#src/ports/event-store.ts';
import { inTransaction, openDatabase, prepareQuery } from './sqlite.ts';

/**
 * Opens the checkpoints of the relay's lanes, `relay.db` of a data folder. They cannot be derived from the log, so each
 * is on disk once saved. Errors: Unavailable; a damaged file is not recreated.
 */
export function openEmbeddedCheckpointStore(dir: string): CheckpointStore {
  const db = reaching(() =>
    openDatabase(join(dir, 'relay.db'), { synchronous: 'FULL', schema: SCHEMA }),
  );
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
  const remove = db.prepare('DELETE FROM lanes WHERE lane = ? AND fence <= ?');

  /** Saves in one transaction what is to be saved in one turn of the event loop. */
  const save = batchPerTurn<Saving>((savings) => {
    try {
      const moved = reaching(() =>
        inTransaction(db, () =>
          savings.map(({ lane, checkpoint: { position, done }, fence }) => {
            return upsert.run(lane, position, done, fence).changes === 1;
          }),
        ),
      );
      for (const [n, { lane, fence, resolve, reject }] of savings.entries()) {
        const written = moved[n] ? fence : (reaching(() => selectFence.get(lane))?.[0] ?? fence);
        if (written > fence) reject(new Fenced(lane, fence));
        else resolve();
      }
    } catch (error) {
      for (const { reject } of savings) reject(error);
    }
  });

  /** Runs a statement on one lane. Errors: Fenced if it left the lane alone. */
  const change = (lane: string, fence: number, run: () => { changes: number | bigint }): void => {
    const { changes } = reaching(run);
    if (changes === 0 && reaching(() => selectFence.get(lane)) !== undefined) {
      throw new Fenced(lane, fence);
    }
  };

  return {
    async load() {
      const found = reaching(() => selectAll.all());
      return new Map(found.map(([lane, position, done]) => [lane, { position, done }]));
    },

    save: (lane, checkpoint, fence) =>
      new Promise((resolve, reject) => {
        save({ lane, checkpoint, fence, resolve, reject });
      }),

    async setBack(lane, { position, done }, fence) {
      change(lane, fence, () => update.run(position, done, fence, lane, fence));
    },

    async remove(lane, fence) {
      change(lane, fence, () => remove.run(lane, fence));
    },

    async close() {
      if (db.isOpen) db.close();
    },
  };
}

type Saving = Readonly<{
  lane: string;
  checkpoint: Checkpoint;
  fence: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}>;

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
