import type { Collection, Db } from 'mongodb';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import { UNANCHORED, type Anchor } from '#src/ports/anchor.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { anchorIn, anchorText } from './anchor-text.ts';
import { writeInserts } from './bulk.ts';
import { callServer, WORK_MS } from './call.ts';

/**
 * Stores each generation's checkpoint in the log. It only moves forward, and only for the current owner of the lease.
 *
 * Errors: Unavailable; Fenced.
 */
export function readCheckpoints(db: Db, fence: number) {
  const stored: Collection<StoredCheckpoint> = db.collection('read_checkpoints');

  const read = async (names: readonly string[]): Promise<ReadonlyMap<string, StoredCheckpoint>> => {
    const found = await callServer(() => stored.find({ _id: { $in: [...names] } }).toArray());
    return new Map(found.map((one) => [one._id, one]));
  };

  /**
   * Most batches advance all generations to one position: that takes one statement, where one each would cost as much
   * as the rows.
   */
  const move = async (moved: ReadonlyMap<string, Anchor>): Promise<void> => {
    const byPlace = Map.groupBy(moved, ([, { position, hash }]) => anchorText(position, hash));
    let matched = 0;
    for (const [anchor, there] of byPlace) {
      const [, { position: checkpoint, hash }] = there[0]!;
      const mine = { _id: { $in: there.map(([name]) => name) }, fence: { $lte: fence } };
      const forward = {
        $max: { checkpoint, ...(hash !== '' && { anchor }) },
        $set: { fence },
      };
      const { matchedCount } = await callServer(() => stored.updateMany(mine, forward), WORK_MS);
      matched += matchedCount;
    }
    if (matched === moved.size) return;
    const found = await read([...moved.keys()]);
    for (const name of moved.keys()) {
      const one = found.get(name);
      if (one === undefined) throw new Error(`${name} is no longer in use`);
      if (one.fence > fence) throw new Fenced(name, fence);
    }
  };

  return {
    move,

    /** Returns the checkpoints of these generations; from then on no earlier owner can move them. */
    async claim(names: readonly string[]): Promise<ReadonlyMap<string, Position>> {
      await writeInserts(
        stored,
        names.map((_id) => ({ _id, checkpoint: START, fence })),
      );
      await move(new Map(names.map((name) => [name, UNANCHORED])));
      const found = await read(names);
      return new Map(names.map((name) => [name, found.get(name)?.checkpoint ?? START]));
    },

    async anchors(names: readonly string[]): Promise<readonly Anchor[]> {
      const found = await read(names);
      return [...found.values()].map(({ checkpoint, anchor = '' }) => anchorIn(anchor, checkpoint));
    },

    forget: (name: string): Promise<unknown> => callServer(() => stored.deleteOne({ _id: name })),
  };
}

type StoredCheckpoint = Readonly<{
  _id: string;
  checkpoint: Position;
  anchor?: string;
  fence: number;
}>;
