import type { Collection } from 'mongodb';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { MongoDatabase } from './database.ts';
import { insertedNew, callServer } from './call.ts';

export function openMongoClusterMessages({ db }: MongoDatabase): ClusterMessages {
  const notices: Collection<StoredMessage> = db.collection('notices');
  return {
    async post(name, text, fence) {
      const guard = { _id: name, fence: { $lte: fence } };
      const posted = { $set: { text, fence } };
      const { matchedCount } = await callServer(() => notices.updateOne(guard, posted));
      if (matchedCount === 1) return;
      const first = await callServer(() => insertedNew(notices, { _id: name, text, fence }));
      if (first) return;
      const second = await callServer(() => notices.updateOne(guard, posted));
      if (second.matchedCount === 0) throw new Fenced(name, fence);
    },

    async read(name) {
      const found = await callServer(() => notices.findOne({ _id: name }));
      return found?.text;
    },

    async list(prefix) {
      const range = { $gte: prefix, $lt: `${prefix}\u{10ffff}` };
      const found = await callServer(() => notices.find({ _id: range }).toArray());
      return new Map(found.map(({ _id, text }) => [_id, text]));
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

type StoredMessage = { _id: string; text: string; fence: number };
