import type { Collection, Filter } from 'mongodb';
import { Fenced, type Checkpoint, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { MongoDatabase } from './database.ts';
import { insertedNew, callServer } from './call.ts';

/** Opens checkpoints stored as one document per lane. */
export function openMongoCheckpointStore({ db }: MongoDatabase): CheckpointStore {
  const lanes: Collection<StoredLane> = db.collection('relay_checkpoints');
  const mine = (lane: string, fence: number): Filter<StoredLane> => ({
    _id: lane,
    fence: { $lte: fence },
  });
  /** Tells a lane that a later holder has from one that does not exist. Errors: Fenced. */
  const checkFence = async (lane: string, fence: number): Promise<void> => {
    const found = await callServer(() => lanes.findOne({ _id: lane }));
    if (found !== null) throw new Fenced(lane, fence);
  };
  return {
    async load() {
      const found = await callServer(() => lanes.find().toArray());
      return new Map(found.map(({ _id, position, done }) => [_id, { position, done }]));
    },

    async save(lane, { position, done }, fence) {
      const behind: Filter<StoredLane> = {
        _id: lane,
        fence: { $lte: fence },
        $or: [{ position: { $lt: position } }, { position, done: { $lt: done } }],
      };
      const moved = { position, done, fence };
      for (let round = 0; round < ROUNDS; round += 1) {
        const { matchedCount } = await callServer(() => lanes.updateOne(behind, { $set: moved }));
        if (matchedCount === 1) return;
        const found = await callServer(() => lanes.findOne({ _id: lane }));
        if (found !== null && found.fence > fence) throw new Fenced(lane, fence);
        if (found !== null && !isBefore(found, moved)) return;
        if (found !== null) continue; // Another process inserted it first, or advanced it slightly.
        if (await callServer(() => insertedNew(lanes, { _id: lane, ...moved }))) return;
      }
      throw new Unavailable(`The checkpoint of ${lane} is being changed by others.`);
    },

    async setBack(lane, { position, done }, fence) {
      const set = { $set: { position, done, fence } };
      const { matchedCount } = await callServer(() => lanes.updateOne(mine(lane, fence), set));
      if (matchedCount === 0) await checkFence(lane, fence);
    },

    async remove(lane, fence) {
      const { deletedCount } = await callServer(() => lanes.deleteOne(mine(lane, fence)));
      if (deletedCount === 0) await checkFence(lane, fence);
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

type StoredLane = { _id: string; position: Position; done: number; fence: number };

const isBefore = (a: Checkpoint, b: Checkpoint): boolean =>
  a.position < b.position || (a.position === b.position && a.done < b.done);

const ROUNDS = 16;
