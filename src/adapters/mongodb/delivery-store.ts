import type { Collection, Document, Filter } from 'mongodb';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Backlog, Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import { writeInserts } from './bulk.ts';
import { callServer, insertedNew } from './call.ts';
import type { MongoDatabase } from './database.ts';

/**
 * Opens the state of deliveries, one document each. Deliveries are written before the cursor moves over them, and are not
 * due before that: a process that ends in between leaves some that the next plan finds there. Errors: Unavailable.
 */
export async function openMongoDeliveryStore({ db }: MongoDatabase): Promise<DeliveryStore> {
  const progress: Collection<ProgressDocument> = db.collection('delivery_progress');
  const rows: Collection<DeliveryDocument> = db.collection('deliveries');
  await callServer(() => rows.createIndexes(INDEXES));

  /** Matches unfinished deliveries that the cursor has passed; undefined while there is no cursor. */
  const unfinished = async (id: Uuid): Promise<Filter<DeliveryDocument> | undefined> => {
    const found = await callServer(() => progress.findOne({ _id: id }));
    if (found === null) return undefined;
    return {
      subscriptionId: id,
      dueAt: { $exists: true },
      position: { $lte: found.cursor },
    };
  };
  const deleteSome = async (filter: Filter<DeliveryDocument>, limit: number): Promise<number> => {
    const found = await callServer(() =>
      rows
        .find(filter, { projection: { _id: 1 } })
        .limit(limit)
        .toArray(),
    );
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id);
    const { deletedCount } = await callServer(() => rows.deleteMany({ _id: { $in: ids } }));
    return deletedCount;
  };

  return {
    async progress(subscriptionId) {
      const found = await callServer(() => progress.findOne({ _id: subscriptionId }));
      if (found === null) return undefined;
      const { cursor, failingSince } = found;
      return { cursor, ...(failingSince !== undefined && { failingSince }) };
    },

    async plan({ subscriptionId, from, to, deliveries }) {
      const known = await callServer(() => progress.findOne({ _id: subscriptionId }));
      if (known?.cursor !== from) return false;
      if (deliveries.length > 0) await writeInserts(rows, deliveries.map(documentOf));
      if (from === undefined) {
        return callServer(() => insertedNew(progress, { _id: subscriptionId, cursor: to }));
      }
      const { matchedCount } = await callServer(() =>
        progress.updateOne({ _id: subscriptionId, cursor: from }, { $set: { cursor: to } }),
      );
      return matchedCount === 1;
    },

    async markFailing(subscriptionId, since) {
      const change =
        since === undefined ? { $unset: { failingSince: '' } } : { $set: { failingSince: since } };
      await callServer(() => progress.updateOne({ _id: subscriptionId }, change as Document));
    },

    async add(deliveries) {
      const known = await writeInserts(rows, deliveries.map(documentOf));
      const ids = new Set(deliveries.map(({ id }) => id));
      return ids.difference(new Set(known.map(({ _id }) => _id)));
    },

    async due(subscriptionId, { now, limit, ordered }) {
      const filter = await unfinished(subscriptionId);
      if (filter === undefined) return [];
      if (!ordered) {
        const due = { ...filter, dueAt: { $lte: now } };
        const found = await callServer(() => rows.find(due).sort(EARLIEST).limit(limit).toArray());
        return found.map(deliveryIn);
      }
      // The first of each key, whether it is due or not: it holds back those after it.
      const firsts = [
        { $match: filter },
        { $sort: { position: 1, ordinal: 1 } },
        { $group: { _id: '$recordKey', first: { $first: '$$ROOT' } } },
        { $match: { 'first.dueAt': { $lte: now } } },
        { $sort: { 'first.dueAt': 1, 'first.position': 1, 'first.ordinal': 1 } },
        { $limit: limit },
      ];
      const found = await callServer(() =>
        rows.aggregate<{ first: DeliveryDocument }>(firsts).toArray(),
      );
      return found.map(({ first }) => deliveryIn(first));
    },

    async get(ids) {
      const found = await callServer(() => rows.find({ _id: { $in: [...ids] } }).toArray());
      return found.map(deliveryIn);
    },

    async replace(deliveries) {
      const replaced = await Promise.all(
        deliveries.map(async (delivery) => {
          const { id, version } = delivery;
          const { matchedCount } = await callServer(() =>
            rows.replaceOne({ _id: id, version: version - 1 }, documentOf(delivery)),
          );
          return matchedCount === 1 ? [id] : [];
        }),
      );
      return new Set(replaced.flat());
    },

    async list({ tenantId, subscriptionId, status, eventId, from, to }, offset, limit) {
      const finishedAt = {
        ...(from !== undefined && { $gte: from }),
        ...(to !== undefined && { $lt: to }),
      };
      const filter: Filter<DeliveryDocument> = {
        tenantId,
        ...(subscriptionId !== undefined && { subscriptionId }),
        ...(status !== undefined && { status }),
        ...(eventId !== undefined && { eventId }),
        ...(Object.keys(finishedAt).length > 0 && { finishedAt }),
      };
      const found = await callServer(() =>
        rows.find(filter).sort({ _id: -1 }).skip(offset).limit(limit).toArray(),
      );
      return found.map(deliveryIn);
    },

    async backlog(subscriptionId) {
      const found = await callServer(() =>
        rows
          .aggregate<{ _id: keyof Backlog; count: number; dueAt: Micros | null }>([
            { $match: { subscriptionId, status: { $ne: 'delivered' } } },
            { $group: { _id: '$status', count: { $sum: 1 }, dueAt: { $min: '$dueAt' } } },
          ])
          .toArray(),
      );
      const counts = Object.fromEntries(found.map(({ _id, count }) => [_id, count]));
      const dues = found.flatMap(({ dueAt }) => dueAt ?? []);
      return {
        ...{ pending: 0, retrying: 0, dead: 0 },
        ...counts,
        ...(dues.length > 0 && { dueAt: Math.min(...dues) as Micros }),
      };
    },

    async subscriptions() {
      const [known, delivered] = await Promise.all([
        callServer(() => progress.find({}, { projection: { _id: 1 } }).toArray()),
        callServer(() => rows.distinct('subscriptionId')),
      ]);
      return [...new Set([...known.map(({ _id }) => _id), ...delivered])];
    },

    async purge(subscriptionId, { deliveredBefore, deliveredKept, deadBefore, limit }) {
      const dead = { subscriptionId, status: 'dead' as const, finishedAt: { $lt: deadBefore } };
      const gone = await deleteSome(dead, limit);
      if (gone === limit) return gone;
      const delivered = { subscriptionId, status: 'delivered' as const };
      const [kept] = await callServer(() =>
        rows
          .find(delivered, { projection: { finishedAt: 1 } })
          .sort({ finishedAt: -1 })
          .skip(deliveredKept - 1)
          .limit(1)
          .toArray(),
      );
      const before = Math.max(deliveredBefore, kept?.finishedAt ?? 0) as Micros;
      const old = { ...delivered, finishedAt: { $lt: before } };
      return gone + (await deleteSome(old, limit - gone));
    },

    async forget(subscriptionId, limit) {
      if ((await deleteSome({ subscriptionId }, limit)) === limit) return false;
      await callServer(() => progress.deleteOne({ _id: subscriptionId }));
      return true;
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

type ProgressDocument = { _id: Uuid; cursor: Position; failingSince?: Micros };

type DeliveryDocument = Omit<Delivery, 'id'> & { _id: Uuid };

const documentOf = ({ id, ...members }: Delivery): DeliveryDocument => ({ _id: id, ...members });
const deliveryIn = ({ _id, ...members }: DeliveryDocument): Delivery => ({ id: _id, ...members });

const EARLIEST = { dueAt: 1, position: 1, ordinal: 1 } as const;
const INDEXES = [
  { key: { subscriptionId: 1, ...EARLIEST } },
  { key: { subscriptionId: 1, status: 1, finishedAt: 1 } },
  { key: { eventId: 1 } },
  { key: { tenantId: 1, _id: -1 } },
] as Parameters<Collection['createIndexes']>[0];
