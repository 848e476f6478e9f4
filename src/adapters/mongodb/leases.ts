import type { Collection } from 'mongodb';
import type { Lease, Leases } from '#src/ports/leases.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { MongoDatabase } from './database.ts';
import { insertedNew, callServer } from './call.ts';

/**
 * Opens leases stored as documents, updated by compare-and-set on fence and beat: of two contenders one wins. An
 * owner's beat changes with every renewal; a contender takes over when its own clock shows the same beat for long
 * enough, from after one read to before another, so that network delays do not count.
 */
export function openMongoLeases(
  { db }: MongoDatabase,
  watch: Pick<Scheduler, 'elapsedMs'>,
): Leases {
  const leases: Collection<StoredLease> = db.collection('leases');
  const seen = new Map<string, Readonly<{ fence: number; beat: number; sinceMs: number }>>();
  let beats = 0;

  /** Checks that the lease was seen unrenewed for `forMs`. */
  const mayTake = ({ _id: name, fence, beat }: StoredLease, forMs: number, askedMs: number) => {
    const last = seen.get(name);
    if (last?.fence === fence && last.beat === beat) return askedMs - last.sinceMs >= forMs;
    seen.set(name, { fence, beat, sinceMs: watch.elapsedMs() });
    return false;
  };

  return {
    async acquire(name, holder, forMs, isGone = () => false) {
      const askedMs = watch.elapsedMs();
      const found = await callServer(() => leases.findOne({ _id: name }));
      const isFree = !found?.holder || isGone(found.holder);
      if (!isFree && !mayTake(found, forMs, askedMs)) return undefined;

      const taken = { holder, fence: (found?.fence ?? 0) + 1, beat: (beats += 1) };
      const won = await callServer(() => take(leases, found, { _id: name, ...taken }));
      if (!won) return undefined;
      seen.delete(name);
      return { name, holder, fence: taken.fence };
    },

    async renew({ name, fence }) {
      const renewed = { $set: { beat: (beats += 1) } };
      const { matchedCount } = await callServer(() => leases.updateOne(held(name, fence), renewed));
      return matchedCount === 1;
    },

    async release({ name, fence }) {
      await callServer(() => leases.updateOne(held(name, fence), { $set: { holder: null } }));
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

/** A lease without a holder is free. */
type StoredLease = { _id: Lease['name']; holder: string | null; fence: number; beat: number };

const held = (name: string, fence: number) => ({ _id: name, fence, holder: { $ne: null } });

async function take(
  leases: Collection<StoredLease>,
  found: StoredLease | null,
  taken: StoredLease,
): Promise<boolean> {
  if (found === null) return insertedNew(leases, taken);
  const { _id, fence, beat, holder } = found;
  const { matchedCount } = await leases.replaceOne({ _id, fence, beat, holder }, taken);
  return matchedCount === 1;
}
