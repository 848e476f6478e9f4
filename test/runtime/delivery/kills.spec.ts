import { expect } from 'chai';
import type { StoreFate } from '#test/doubles/memory/delivery-store.ts';
import { runsOf, seedOfRun } from '#test/support/random.ts';
import { transfer } from '#test/support/relayed.ts';
import { DAY, deliveryWorld, ERROR, OK, versions, type Fate } from './delivery-world.ts';

const WORLDS = runsOf(10);
const KILLS = 10;
const TRANSFERS = 290;
const FIRST_SEED = seedOfRun(1);

describe('killed deliveries', () => {
  for (let n = 0; n < WORLDS; n += 1) {
    const seed = FIRST_SEED + n;
    it(`loses nothing and keeps the order of each key over ${String(KILLS)} kills (SEED=${String(seed)})`, async () => {
      const world = deliveryWorld(seed);
      const { random, scheduler } = world;
      const CHANGED = { types: ['balance.changed'] };
      const fate = (): Fate => {
        const afterMs = random() * 30;
        if (random() < 0.03) return { ...ERROR, afterMs };
        if (random() < 0.02) return { is: 'failed', errorClass: 'network_timeout', isLost: true };
        return { ...OK, afterMs };
      };
      const faults = (): StoreFate =>
        random() < 0.02 ? (random() < 0.5 ? 'refused' : 'unanswered') : 'ok';
      await world.run(
        (async () => {
          const first = await world.subscribe({ filters: CHANGED, ordering: 'key' });
          const second = await world.subscribe({ filters: CHANGED, ordering: 'key' });
          const third = await world.subscribe({ filters: { types: ['*'] } });
          for (let kill = 0; kill < KILLS; kill += 1) {
            const { crash } = world.start({ fate, faults });
            const step = TRANSFERS / KILLS;
            for (let i = 1; i <= step; i += 1) {
              await world.append(transfer(kill * step + i));
              await scheduler.sleep(random() * 60);
            }
            await scheduler.sleep(random() * 200);
            crash();
          }
          const last = world.start({ fate, faults });
          const count = 7 * TRANSFERS;
          await world.until(() => {
            const rows = world.rows();
            return rows.length === count && rows.every(({ status }) => status === 'delivered');
          }, DAY);
          await last.stop();

          const order = Array.from({ length: TRANSFERS }, (_, i) => i + 1);
          expect(versions(world.at(first))).to.deep.equal([order, order]);
          expect(versions(world.at(second))).to.deep.equal([order, order]);
          const received = Map.groupBy(world.at(third), ({ eventId }) => eventId);
          expect(received.size).to.equal(3 * TRANSFERS);
          for (const copies of received.values()) {
            expect(new Set(copies.map(({ value }) => value)).size).to.equal(1);
          }
          expect(world.received.length).to.be.greaterThan(count); // Some were delivered twice.
        })(),
      );
    });
  }
});
