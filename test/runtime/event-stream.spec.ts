import { expect } from 'chai';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { NONE, type Uuid } from '#src/kernel/ids.ts';
import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { FeedRequest } from '#src/ports/event-feed.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { createEventFeed } from '#src/runtime/delivery/event-stream.ts';
import { createDeliverySource } from '#src/runtime/delivery/source.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { recordsOf } from '#test/support/deliveries.ts';
import { logged, moment, transfer, transferTopics } from '#test/support/relayed.ts';
import { refused } from '#test/support/refused.ts';

const POSTED = { types: ['transaction.posted'] };
const idOf = ({ headers }: OutgoingRecord): Uuid => headers['ce-id'] as Uuid;
/** The ce-ids of the n-th transfer. */
const idsOf = (n: number): readonly Uuid[] => recordsOf(n).map(idOf);
const sequence = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => n + from);

describe('event feed', () => {
  for (const seed of [1, 2, 3]) {
    it(`continues after any event, also among those of one millisecond (seed ${seed})`, () =>
      playing(seed, async ({ append, read }) => {
        const [first, second] = [transfer(1), { ...transfer(1), id: transfer(2).id }];
        await append([transfer(0), first, second, ...sequence(3, 40).map((n) => transfer(n))]);
        const all = await read({ startAt: moment(0) }, 41 * 3 - 3);
        expect(new Set(all).size).to.equal(all.length);
        for (const [n, id] of all.slice(0, -1).entries()) {
          expect(await read({ lastEventId: id }, all.length - n - 1)).to.deep.equal(
            all.slice(n + 1),
          );
        }
      }));
  }

  it('begins at the time of an event that is not found', () =>
    playing(1, async ({ append, read }) => {
      await append(sequence(0, 9).map((n) => transfer(n)));
      const lastEventId = idsOf(4)[0]!.replace(/.{4}$/, 'ffff') as Uuid;
      expect(await read({ lastEventId }, 18)).to.deep.equal(sequence(4, 9).flatMap(idsOf));
    }));

  it('begins now, and leaves out what filters, tenants and times exclude', () =>
    playing(1, async ({ append, open, take }) => {
      await append([transfer(1)]);
      const now = await open({ filters: POSTED });
      const { type, data } = transfer(3);
      const other = logged('other', { type, data: parseData(data) as never } as never, {
        tenantId: 'other',
      });
      await append([other, transfer(4), transfer(5)]);
      expect(await take(now, 2)).to.deep.equal([idsOf(4)[0], idsOf(5)[0]]);
      const later = await open({ filters: POSTED, startAt: moment(5) });
      expect(await take(later, 1)).to.deep.equal([idsOf(5)[0]]);
    }));

  it('yields an empty list after 15 seconds without a record', () =>
    playing(1, async ({ open, elapsedMs }) => {
      const feed = (await open({}))[Symbol.asyncIterator]();
      for (const dueMs of [15_000, 30_000]) {
        expect((await feed.next()).value).to.deep.equal([]);
        expect(elapsedMs()).to.be.within(dueMs, dueMs + 3000);
      }
      await feed.return?.();
    }));

  it('ends within two seconds of the end of its subscription, and when the process ends', () =>
    playing(1, async ({ open, elapsedMs, close }) => {
      let goesOn = true;
      const feed = (await open({ goesOn: () => Promise.resolve(goesOn) }))[Symbol.asyncIterator]();
      const end = feed.next();
      goesOn = false;
      expect((await end).done).to.equal(true);
      expect(elapsedMs()).to.be.below(2000);
      const last = (await open({}))[Symbol.asyncIterator]().next();
      close();
      expect((await last).done).to.equal(true);
      expect(await open({}).catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
    }));

  it('ends without an error when the log is not available', () =>
    playing(1, async ({ open, fail }) => {
      const feed = (await open({}))[Symbol.asyncIterator]();
      fail();
      expect((await feed.next()).done).to.equal(true);
    }));

  it('shares one source, which it closes with the last stream, and bounds the streams', () =>
    playing(1, async ({ open, sources, append, take }) => {
      const feeds = [await open({}), await open({}), await open({})];
      expect(sources).to.deep.equal({ opened: 0, closed: 0 }); // None is read yet.
      const reading = feeds.slice(0, 2).map((feed) => take(feed, 3));
      expect(await refused(open({}))).to.equal('TOO_MANY_REQUESTS');
      expect(await take(feeds[2]!, 3)).to.deep.equal([]); // Its place was taken meanwhile.
      await append([transfer(1)]);
      expect(await Promise.all(reading)).to.deep.equal([idsOf(1), idsOf(1)]);
      expect(sources).to.deep.equal({ opened: 1, closed: 1 });
      await take(await open({ startAt: moment(0) }), 3);
      expect(sources).to.deep.equal({ opened: 2, closed: 2 });
    }));
});

type Wanted = Readonly<{ filters?: SubscriptionFilters }> &
  Partial<
    Pick<FeedRequest, 'lastEventId' | 'goesOn'> & Pick<FeedRequest['subscription'], 'startAt'>
  >;

type Played = ReturnType<typeof worldOf>;

const playing = (seed: number, test: (world: Played) => Promise<void>): Promise<void> => {
  const world = worldOf(seed);
  return world.simulation.run(test(world));
};

function worldOf(seed: number) {
  const simulation = simulate(seed);
  const { scheduler } = simulation;
  const store = new MemoryEventStore({ scheduler });
  const sources = { opened: 0, closed: 0 };
  let failing = false;
  let revision = NONE;
  const feed = createEventFeed({
    ...{ log: store, matches: matchesFilters, scheduler, streamsMax: 2 },
    openSource(onNews) {
      sources.opened += 1;
      const source = createDeliverySource({
        ...{ log: store, topics: transferTopics(), scheduler, onNews },
      });
      return {
        ...source,
        after: (position, limit) =>
          failing ? Promise.reject(new Unavailable('gone')) : source.after(position, limit),
        close: () => {
          sources.closed += 1;
          return source.close();
        },
      };
    },
  });
  const open = (wanted: Wanted) => {
    const { filters = { types: ['*'] }, startAt = 'now', lastEventId, goesOn } = wanted;
    return feed.open({
      ...{ tenantId: 'default', subscription: { filters, startAt }, lastEventId },
      goesOn: goesOn ?? (() => Promise.resolve(true)),
    });
  };
  /** Reads so many records, or until the end. */
  const take = async (from: AsyncIterable<readonly OutgoingRecord[]>, count: number) => {
    const ids: Uuid[] = [];
    for await (const records of from) {
      ids.push(...records.map(idOf));
      if (ids.length >= count) break;
    }
    return ids;
  };
  return {
    ...{ simulation, sources, open, take },
    elapsedMs: () => scheduler.elapsedMs(),
    read: async (wanted: Wanted, count: number) => take(await open(wanted), count),
    append: async (events: readonly NewEvent[]) => {
      ({ revision } = await store.append('ledger-1', events, revision));
    },
    fail: () => (failing = true),
    close: () => {
      feed.close();
    },
  };
}
