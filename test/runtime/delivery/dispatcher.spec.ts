import { expect } from 'chai';
import { moment, transfer, transferTopics } from '#test/support/relayed.ts';
import type { StoreFate } from '#test/doubles/memory/delivery-store.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { DeliveryStore } from '#src/ports/delivery-store.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { SourceTopic } from '#src/runtime/delivery/source.ts';
import {
  DAY,
  deliveryWorld,
  ERROR,
  HOUR,
  MINUTE,
  OK,
  SECOND,
  versions,
  type DeliveryWorld,
  type Received,
} from './delivery-world.ts';

const transfers = (count: number, from = 1): NewEvent[] =>
  Array.from({ length: count }, (_, n) => transfer(from + n));

const POSTED = { types: ['transaction.posted'] };
const CHANGED = { types: ['balance.changed'] };
/** The position of the second transfer. */
const DAMAGED = '0000000000000192';

/** Plays a story to its end. */
const story = (tell: (world: DeliveryWorld) => Promise<void>, seed = 1): Promise<void> => {
  const world = deliveryWorld(seed);
  return world.run(tell(world));
};

const isAllOf = (world: DeliveryWorld, status: string, count: number, id?: Uuid) => (): boolean =>
  world.rows(id).filter((row) => row.status === status).length === count;

const isDelivered = (world: DeliveryWorld, count: number, id?: Uuid): (() => boolean) =>
  isAllOf(world, 'delivered', count, id);

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

const pausesOf = (received: readonly Received[]): number[] =>
  received.slice(1).map(({ atMs }, n) => atMs - received[n]!.atMs);

describe('dispatcher', () => {
  it('delivers what comes after the subscription, once, and nothing from before', () =>
    story(async (world) => {
      await world.append(...transfers(5));
      const id = await world.subscribe();
      const delivery = world.start();
      await world.append(...transfers(20, 6));
      await world.until(isDelivered(world, 60, id));
      await delivery.stop();
      expect(delivery.troubles).to.deep.equal([]);
      expect(new Set(world.received.map(({ eventId }) => eventId))).to.have.length(60);
      expect(world.received).to.have.length(60);
      expect(delivery.reports.at(-1)?.subscriptions).to.equal(1);
    }));

  it('delivers from the time of startAt, and nothing recorded before', () =>
    story(async (world) => {
      await world.append(...transfers(10));
      const id = await world.subscribe({ filters: POSTED, startAt: moment(4) });
      const delivery = world.start();
      await world.until(isDelivered(world, 7, id));
      await world.append(transfer(11));
      await world.until(isDelivered(world, 8, id));
      await world.scheduler.sleep(MINUTE);
      await delivery.stop();
      expect(world.received).to.have.length(8);
    }));

  it('goes on from the end of a log that is an older copy, and says so', () =>
    story(async (world) => {
      const id = await world.subscribe({ filters: POSTED });
      world.data.progress.set(id, { cursor: '9999999999999999' as never });
      await world.append(...transfers(3));
      const delivery = world.start();
      await world.until(() => delivery.troubles.length > 0);
      await world.append(...transfers(2, 4));
      await world.until(isDelivered(world, 2, id));
      await delivery.stop();
      expect(delivery.troubles).to.have.length(1);
      expect(delivery.troubles[0]).to.contain('older copy');
    }));

  describe('retries', () => {
    it('makes ten attempts with the pauses of the contract, then the message is dead', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(transfer(1));
        const { stop } = world.start({ fate: () => ERROR, still: true });
        await world.until(isAllOf(world, 'dead', 1), 4 * DAY);
        await stop();
        const pauses = pausesOf(world.received);
        const bases = [5 * SECOND, 5 * MINUTE, 30 * MINUTE];
        bases.push(...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR));
        expect(world.received.map(({ attempt }) => attempt)).to.deep.equal(upTo(10));
        for (const [n, base] of bases.entries()) {
          expect(pauses[n]).to.be.within(0.9 * base, 1.1 * base + 10);
        }
        const [row] = world.rows(id);
        expect(row?.attempts).to.have.length(10);
        expect(row).to.include({ tries: 10, status: 'dead' }).and.not.to.have.property('dueAt');
        expect(world.statusOf(id)).to.equal('active');
      }));

    it('keeps the pause of each of several messages', () =>
      story(async (world) => {
        await world.subscribe({ filters: CHANGED });
        await world.append(...transfers(4));
        const { stop } = world.start({ fate: ({ attempt }) => (attempt === 1 ? ERROR : OK) });
        await world.until(isDelivered(world, 8));
        await stop();
        for (const attempts of Map.groupBy(world.received, ({ eventId }) => eventId).values()) {
          expect(pausesOf(attempts)[0]).to.be.within(4500, 5600);
        }
      }));

    for (const [asked, lowest] of [
      [2 * HOUR, 2 * HOUR],
      [100 * HOUR, 24 * HOUR],
    ] as const) {
      it(`waits ${String(lowest / HOUR)} h if the response asks for ${String(asked / HOUR)}`, () =>
        story(async (world) => {
          await world.subscribe({ filters: POSTED });
          await world.append(transfer(1));
          const { stop } = world.start({
            fate: ({ attempt }) => (attempt === 1 ? { ...ERROR, retryAfterMs: asked } : OK),
            still: true,
          });
          await world.until(isDelivered(world, 1), 2 * DAY);
          await stop();
          expect(pausesOf(world.received)[0]).to.be.within(lowest, lowest + 10);
        }));
    }

    it('buries a record that cannot be sent, without an attempt', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED, ordering: 'key' });
        await world.append(...transfers(2));
        const [, changed] = transferTopics();
        const topic: SourceTopic = {
          types: changed.types,
          drafts: (event) =>
            changed.drafts(event).map((draft, n) => ({
              ...draft,
              ...(event.position < '0000000000000150' && n === 0 && { fault: 'too long' }),
            })),
        };
        const { stop } = world.start({ topics: [topic] });
        await world.until(isDelivered(world, 3, id));
        await stop();
        const buried = world.rows(id).filter(({ status }) => status === 'dead');
        expect(buried).to.have.length(1);
        expect(buried[0]?.attempts[0]).to.include({ errorClass: 'serialization_error' });
        expect(world.received.map(({ eventId }) => eventId)).not.to.include(buried[0]?.eventId);
      }));

    it('buries a record that the log does not yield any more', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(transfer(1));
        const first = world.start({ fate: () => ERROR });
        await world.until(isAllOf(world, 'retrying', 1));
        await first.stop();
        const { stop } = world.start({ topics: [] });
        await world.until(isAllOf(world, 'dead', 1, id));
        await stop();
        expect(world.received).to.have.length(1);
      }));

    it('retries a record whose event is damaged, and says so once for each attempt', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(transfer(1));
        const first = world.start({ fate: () => ERROR });
        await world.until(isAllOf(world, 'retrying', 1));
        await first.stop();
        const damages = new Set(world.rows(id).map(({ position }) => position));
        const { stop, troubles } = world.start({ damages });
        await world.scheduler.sleep(MINUTE);
        expect(world.rows(id)[0]).to.include({ status: 'retrying', tries: 2 });
        expect(troubles).to.have.length(1);
        damages.clear();
        await world.until(isDelivered(world, 1, id));
        await stop();
      }));

    it('delivers past a damaged event, reports it, and delivers it once it is whole', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const damages = new Set<string>();
        const { stop, troubles, reports } = world.start({ damages });
        await world.append(transfer(1));
        await world.until(isDelivered(world, 1, id));
        damages.add(DAMAGED);
        await world.append(...transfers(2, 2));
        await world.until(isDelivered(world, 2, id), MINUTE);
        expect(world.rows(id).find(({ position }) => position === DAMAGED)).to.include({
          status: 'retrying',
        });
        await world.until(() => reports.at(-1)?.damagedEvents === 1, MINUTE);
        expect(troubles).to.have.length(1);
        damages.clear();
        await world.until(isDelivered(world, 3, id));
        await stop();
        expect(world.received.map(({ eventId }) => eventId)).to.have.length(3);
      }));

    it('delivers past an event of which nothing can be read', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const { stop, reports } = world.start();
        await world.append(transfer(1), { ...transfer(2), metadata: '{}' }, transfer(3));
        await world.until(isDelivered(world, 2, id), MINUTE);
        await world.until(() => reports.at(-1)?.damagedEvents === 1, MINUTE);
        await stop();
        expect(world.rows(id)).to.have.length(2);
      }));
  });

  describe('disabling', () => {
    it('disables a subscription whose receiver is gone, and buries the message', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const fate = () => ({ is: 'gone', statusCode: 410 }) as const;
        const delivery = world.start({ fate });
        await world.append(transfer(1));
        await world.until(() => world.statusOf(id) === 'disabled');
        await world.append(...transfers(5, 2));
        await world.scheduler.sleep(5 * MINUTE);
        expect(world.disabled).to.deep.equal(['gone']);
        expect(world.received).to.have.length(1);
        expect(world.rows(id).map(({ status }) => status)).to.deep.equal(['dead']);
        await delivery.stop();
        const later = world.start();
        await world.change(id, { status: 'active' });
        await world.until(isDelivered(world, 5, id));
        await later.stop();
        expect(world.received).to.have.length(6);
      }));

    it('disables a subscription whose receiver is gone after a crash before that was recorded', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const fate = () => ({ is: 'gone', statusCode: 410 }) as const;
        const crashes = (): boolean => {
          first.crash();
          return true;
        };
        const first = world.start({ fate, disableFails: crashes });
        await world.append(transfer(1));
        await world.until(() => world.received.length === 1);
        await world.scheduler.sleep(MINUTE);
        expect(world.statusOf(id)).to.equal('active');
        const { stop } = world.start({ fate });
        await world.until(() => world.statusOf(id) === 'disabled', MINUTE);
        await stop();
        expect(world.rows(id).map(({ status }) => status)).to.deep.equal(['dead']);
      }));

    it('delivers again after a resume that follows at once', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        let isGone = true;
        const fate = () => (isGone ? ({ is: 'gone', statusCode: 410 } as const) : OK);
        const { stop } = world.start({ fate, resumes: true });
        await world.append(transfer(1));
        await world.until(() => world.disabled.length === 1);
        isGone = false;
        await world.append(transfer(2));
        await world.until(isDelivered(world, 1, id), MINUTE);
        await stop();
        expect(world.disabled).to.have.length(1);
      }));

    it('goes on after disabling failed, and tries again', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        let fails = true;
        const fate = () => ({ is: 'gone', statusCode: 410 }) as const;
        const { stop, troubles } = world.start({ fate, disableFails: () => fails });
        await world.append(transfer(1));
        await world.until(() => troubles.length > 0);
        fails = false;
        await world.append(transfer(2));
        await world.until(() => world.statusOf(id) === 'disabled', MINUTE);
        await stop();
        expect(troubles).to.have.length(1);
      }));

    it('disables a subscription after five days without a success, and not earlier', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(...transfers(2));
        const fate = ({ attempt }: { attempt: number }) => (attempt <= 10 ? ERROR : OK);
        const first = world.start({ fate, still: true });
        await world.until(isAllOf(world, 'dead', 2), 4 * DAY);
        expect(world.statusOf(id)).to.equal('active');
        await first.stop();
        await world.append(transfer(3));
        const later = world.start({ fate, still: true });
        await world.until(() => world.statusOf(id) === 'disabled', 4 * DAY);
        await later.stop();
        expect(world.disabled).to.deep.equal(['no success for 5 days']);
        expect(world.elapsedMs()).to.be.within(5 * DAY, 6.1 * DAY);
        expect(world.data.progress.get(id)).to.have.property('failingSince');
      }));

    it('counts the days anew after a success', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(...transfers(2));
        const fate = ({ attempt }: { attempt: number }) => (attempt > 9 ? OK : ERROR);
        const first = world.start({ fate, still: true });
        await world.until(isDelivered(world, 2), 4 * DAY);
        await first.stop();
        expect(world.data.progress.get(id)).not.to.have.property('failingSince');
        await world.append(transfer(3));
        const later = world.start({ fate, still: true });
        await world.until(isDelivered(world, 3), 4 * DAY);
        await later.stop();
        expect(world.statusOf(id)).to.equal('active');
      }));
  });

  describe('order', () => {
    it('keeps the order of a key under failures, and lets other keys pass', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED, ordering: 'key' });
        await world.append(...transfers(10), transfer(11, '@carol', '@dave'));
        const failing = world.random;
        const fate = () => ({ ...(failing() < 0.3 ? ERROR : OK), afterMs: failing() * 50 });
        const { stop } = world.start({ fate });
        await world.until(isDelivered(world, 22, id), DAY);
        await stop();
        for (const ofKey of versions(world.received)) {
          expect(ofKey).to.deep.equal(ofKey.toSorted((a, b) => a - b));
        }
        const deliveredAt = world.rows(id).toSorted((a, b) => a.finishedAt! - b.finishedAt!);
        expect(
          deliveredAt.findIndex(({ position }) => position > '0000000000000704'),
        ).to.be.lessThan(20);
      }));

    it('holds a key back until the message before is dead', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED, ordering: 'key' });
        await world.append(...transfers(2));
        const isFirst = (value: string): boolean =>
          (JSON.parse(value) as { version: number }).version === 1;
        const fate = ({ record }: { record: { value: string } }) =>
          isFirst(record.value) ? ERROR : OK;
        const { stop } = world.start({ fate, still: true });
        await world.until(isAllOf(world, 'dead', 2), 4 * DAY);
        await world.until(isDelivered(world, 2, id));
        await stop();
        expect(versions(world.received)).to.deep.equal([upTo(2), upTo(2)]);
        for (const ofKey of Map.groupBy(world.received, ({ key }) => key).values()) {
          expect(ofKey).to.have.length(11);
          expect(ofKey.slice(0, 10).every(({ value }) => isFirst(value))).to.equal(true);
        }
      }));

    it('lets unordered messages overtake one that fails', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED });
        await world.append(...transfers(5));
        let first: string | undefined;
        const fate = ({ record, attempt }: { record: { headers: object }; attempt: number }) => {
          first ??= JSON.stringify(record.headers);
          return JSON.stringify(record.headers) === first && attempt < 3 ? ERROR : OK;
        };
        const { stop } = world.start({ fate });
        await world.until(isDelivered(world, 9, id), 4 * SECOND);
        await world.until(isDelivered(world, 10, id), HOUR);
        await stop();
      }));

    it('keeps the order from the time at which a subscription asks for it', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED, rateLimit: 5 });
        await world.append(...transfers(15));
        const busy = new Set<string>();
        let isOrdered = false;
        let together = 0;
        const { stop } = world.start({
          fate: ({ subscription: { ordering } }) => {
            isOrdered ||= ordering === 'key';
            return { ...OK, afterMs: 900 };
          },
        });
        await world.until(() => world.received.length > 3);
        await world.change(id, { ordering: 'key' });
        await world.until(() => isOrdered);
        await world.scheduler.sleep(2 * SECOND);
        const from = world.received.length;
        await world.until(isDelivered(world, 30, id));
        await stop();
        for (const { key, atMs } of world.received.slice(from)) {
          const before = world.received.filter((one) => one.key === key && one.atMs < atMs);
          if (atMs - before.at(-1)!.atMs < 900) together += 1;
          busy.add(key);
        }
        expect(busy.size).to.equal(2);
        expect(together).to.equal(0);
      }));
  });

  describe('limits', () => {
    for (const rateLimit of [1, 7, 50]) {
      it(`sends at most ${String(rateLimit)} messages in any second, and nearly as many`, () =>
        story(async (world) => {
          const id = await world.subscribe({ filters: POSTED, rateLimit });
          await world.append(...transfers(4 * rateLimit));
          const { stop } = world.start();
          await world.until(isDelivered(world, 4 * rateLimit, id));
          await stop();
          const times = world.received.map(({ atMs }) => atMs);
          for (const from of times) {
            const ofSecond = times.filter((atMs) => atMs >= from && atMs < from + 1000);
            expect(ofSecond.length).to.be.at.most(rateLimit);
          }
          expect(times.at(-1)! - times[0]!).to.be.lessThan(4200);
        }));
    }

    it('sends few messages at once, and one while the target fails', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED });
        await world.append(...transfers(50));
        let fails = false;
        const fate = () => ({ ...(fails ? ERROR : OK), afterMs: 1000 });
        const { stop, flight } = world.start({ fate });
        await world.until(isDelivered(world, 40, id));
        expect(flight.most).to.equal(8);
        fails = true;
        await world.until(
          () => world.rows(id).filter((row) => row.status === 'retrying').length > 8,
        );
        flight.most = 0;
        await world.scheduler.sleep(10 * SECOND);
        expect(flight.most).to.equal(1);
        fails = false;
        await world.until(isDelivered(world, 100, id), DAY);
        await stop();
      }));

    it('holds no subscription back for the slow target of another', () =>
      story(async (world) => {
        const slow = await world.subscribe({ filters: CHANGED });
        const fast = await world.subscribe({ filters: CHANGED });
        await world.append(...transfers(20));
        const startedMs = world.elapsedMs();
        const { stop } = world.start({
          fate: ({ subscription }) => ({ ...OK, afterMs: subscription.id === slow ? 15_000 : 1 }),
        });
        await world.until(isDelivered(world, 40, fast));
        expect(world.elapsedMs() - startedMs).to.be.lessThan(1000);
        expect(world.at(slow)).to.have.length(8);
        await stop();
      }));

    it('plans no more while very many deliveries are unfinished, without a busy loop', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(...transfers(20));
        const dueAt = (world.clock.now() + HOUR * 1000) as never;
        const template = { subscriptionId: id, tenantId: 'default', position: '0000000000000001' };
        for (let n = 0; n < 100_000; n += 1) {
          const row = {
            ...template,
            id: `row ${String(n)}`,
            version: 0,
            status: 'retrying',
            dueAt,
          };
          world.data.rows.set(row.id as Uuid, { ...row, recordKey: row.id } as never);
        }
        let calls = 0;
        const { stop } = world.start({
          faults: () => {
            calls += 1;
            return 'ok';
          },
        });
        await world.scheduler.sleep(10 * SECOND);
        expect(calls).to.be.lessThan(50);
        expect(world.received).to.deep.equal([]);
        world.data.rows.clear();
        await world.until(isDelivered(world, 20, id));
        await stop();
      }));
  });

  describe('changes', () => {
    it('pauses at any moment, and goes on at the cursor', async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        await story(async (world) => {
          const id = await world.subscribe({ filters: CHANGED, ordering: 'key' });
          const { stop } = world.start({ fate: () => ({ ...OK, afterMs: world.random() * 20 }) });
          for (let n = 0; n < 10; n += 1) {
            await world.append(...transfers(5, 1 + 5 * n));
            await world.scheduler.sleep(world.random() * 100);
            await world.change(id, { status: n % 2 === 0 ? 'paused' : 'active' });
            if (n === 4) {
              await world.scheduler.sleep(3 * SECOND);
              const sent = world.received.length;
              await world.scheduler.sleep(MINUTE);
              expect(world.received).to.have.length(sent);
            }
          }
          await world.until(isDelivered(world, 100, id));
          await stop();
          expect(world.received).to.have.length(100);
          expect(versions(world.received)).to.deep.equal([upTo(50), upTo(50)]);
        }, seed);
      }
    });

    it('forgets a removed subscription, whenever that is', async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        await story(async (world) => {
          const id = await world.subscribe({ filters: CHANGED });
          const kept = await world.subscribe({ filters: POSTED });
          const fate = ({ subscription }: { subscription: { id: Uuid } }) =>
            subscription.id === id && world.random() < 0.5 ? { ...ERROR, afterMs: 20 } : OK;
          const { stop, troubles } = world.start({ fate });
          await world.append(...transfers(30));
          await world.scheduler.sleep(world.random() * 1000);
          await world.remove(id);
          await world.scheduler.sleep(MINUTE);
          const sent = world.at(id).length;
          await world.until(() => !world.data.progress.has(id) && world.rows(id).length === 0);
          await world.until(isDelivered(world, 30, kept));
          await stop();
          expect(world.at(id)).to.have.length(sent);
          expect(troubles).to.deep.equal([]);
          expect(world.rows(id)).to.deep.equal([]);
          expect(world.data.progress.has(kept)).to.equal(true);
        }, seed);
      }
    });

    it('applies changed filters to later events', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const { stop } = world.start();
        await world.append(...transfers(3));
        await world.until(isDelivered(world, 3, id));
        await world.change(id, { filters: {} });
        await world.scheduler.sleep(SECOND);
        await world.append(...transfers(3, 4));
        await world.scheduler.sleep(MINUTE);
        await world.change(id, { filters: CHANGED });
        await world.scheduler.sleep(SECOND);
        await world.append(...transfers(3, 7));
        await world.until(isDelivered(world, 9, id));
        await world.scheduler.sleep(MINUTE);
        await stop();
        expect(versions(world.received.slice(3))).to.deep.equal([
          [7, 8, 9],
          [7, 8, 9],
        ]);
      }));

    it('plans no event by filters that were changed before it, however soon it follows', async () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        await story(async (world) => {
          const id = await world.subscribe({ filters: POSTED });
          const { stop } = world.start();
          for (let n = 1; n <= 10; n += 1) {
            await world.change(id, { filters: n % 2 === 1 ? CHANGED : POSTED });
            await world.append(transfer(n));
            await world.scheduler.sleep((0.2 + world.random()) * SECOND);
          }
          await world.until(isDelivered(world, 15, id), MINUTE);
          await world.scheduler.sleep(MINUTE);
          await stop();
          const types = world.rows(id).map(({ eventType }) => eventType);
          expect(types.filter((type) => type.endsWith('posted'))).to.have.length(5);
          expect(types.filter((type) => type.endsWith('changed'))).to.have.length(10);
        }, seed);
      }
    });

    it('stops sending once the target becomes one that is pulled', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const { stop } = world.start();
        await world.append(transfer(1));
        await world.until(isDelivered(world, 1, id));
        await world.change(id, { target: { kind: 'pull' } });
        await world.scheduler.sleep(SECOND);
        await world.append(transfer(2));
        await world.scheduler.sleep(MINUTE);
        await stop();
        expect(world.received).to.have.length(1);
        expect(world.rows(id).filter(({ tries }) => tries > 0)).to.have.length(1);
      }));

    it('deletes old deliveries', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        await world.append(...transfers(2));
        const first = world.start();
        await world.until(isDelivered(world, 2, id));
        await first.stop();
        await world.scheduler.sleep(6.9 * DAY);
        const second = world.start();
        await world.scheduler.sleep(MINUTE);
        await second.stop();
        expect(world.rows(id)).to.have.length(2);
        const [row] = world.rows(id);
        world.data.rows.set(row!.id, { ...row!, status: 'dead' });
        await world.scheduler.sleep(DAY);
        const third = world.start();
        await world.until(() => world.rows(id).length === 1);
        await third.stop();
        await world.scheduler.sleep(30 * DAY);
        const last = world.start();
        await world.until(() => world.rows(id).length === 0);
        await last.stop();
      }));
  });

  describe('faults', () => {
    const FAULTY = ['progress', 'plan', 'markFailing', 'due', 'replace', 'backlog'] as const;
    for (const operation of FAULTY) {
      for (const fault of ['refused', 'unanswered'] as const) {
        it(`loses nothing and keeps the order when ${operation} is ${fault}`, () =>
          story(async (world) => {
            const faults = (called: keyof DeliveryStore): StoreFate =>
              called === operation && world.random() < 0.4 ? fault : 'ok';
            const id = await world.subscribe({ filters: CHANGED, ordering: 'key' });
            const fate = () => (world.random() < 0.1 ? ERROR : OK);
            const { stop, troubles } = world.start({ faults, fate });
            for (let n = 0; n < 6; n += 1) {
              await world.append(...transfers(5, 1 + 5 * n));
              await world.scheduler.sleep(500);
            }
            await world.until(isDelivered(world, 60, id), DAY);
            await stop();
            expect(versions(world.received)).to.deep.equal([upTo(30), upTo(30)]);
            expect(troubles).to.deep.equal([]);
          }));
      }
    }

    it('loses nothing when the log cannot be read for a while', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: POSTED });
        const { stop } = world.start({ readFails: () => world.random() < 0.3 });
        for (let n = 0; n < 10; n += 1) {
          await world.append(transfer(n + 1));
          await world.scheduler.sleep(5 * SECOND);
        }
        await world.until(isDelivered(world, 10, id));
        await stop();
      }));

    it('ends attempts in flight when it stops, and makes those again that it had to abort', () =>
      story(async (world) => {
        const id = await world.subscribe({ filters: CHANGED });
        await world.append(...transfers(4));
        let afterMs = 3000;
        const first = world.start({ fate: () => ({ ...OK, afterMs }), closeTimeoutMs: 5000 });
        await world.until(() => world.received.length === 8);
        await first.stop();
        expect(isDelivered(world, 8, id)()).to.equal(true);
        afterMs = 14_000;
        await world.append(...transfers(2, 5));
        const second = world.start({ fate: () => ({ ...OK, afterMs }), closeTimeoutMs: 5000 });
        await world.until(() => world.received.length === 12);
        const stoppedMs = world.elapsedMs();
        await second.stop();
        expect(world.elapsedMs() - stoppedMs).to.be.within(5000, 5100);
        expect(world.rows(id).filter(({ tries }) => tries > 0)).to.have.length(8);
        const last = world.start();
        await world.until(isDelivered(world, 12, id));
        await last.stop();
      }));
  });
});
