import { expect } from 'chai';
import { until } from '#test/support/server.ts';
import { describeOnEngines, note, pause, STORY_MS } from './engines.ts';
import { createLoad } from './load.ts';
import { stageOfStory } from './stage.ts';

describeOnEngines('distributed: two API processes on one ledger', () => {
  const stage = stageOfStory();

  it('lose no update, make no duplicate, refuse nothing on stale grounds, and share the work', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const [one, other] = await Promise.all([
      cluster.start('api'),
      cluster.start('api'),
      cluster.start('projector,relay'),
    ]);
    const { ledger } = await open(one);
    const load = createLoad({
      ledger,
      ports: [one.port, other.port],
      clients: 6,
      loyal: 10,
      thinkMs: 0,
    });
    /** Of what loyal clients did in five seconds, what the process with less of it did. */
    const parts: number[] = [];
    await load.during(async () => {
      // A process that stands still for seconds has no share in these, and one that is starved has none in any.
      for (let n = 0; n < 2 || (Math.max(...parts) < FAIR && n < 10); n += 1) {
        const before = new Map(load.byPort);
        const made = () => [...load.byPort].map(([port, count]) => count - before.get(port)!);
        await pause(5000);
        await until(() => sumOf(made()) > 50, 60_000, 'enough to be shared');
        parts.push(Math.min(...made()) / sumOf(made()));
      }
    });
    await check(other, load);

    const shares = [...load.byPort.values()];
    note(`${sumOf(shares)} by loyal clients, shares ${shares.join(' and ')}`);
    expect(Math.max(...parts)).to.be.at.least(FAIR);
  });

  it('go on when one of them is killed: the other answers the same keys', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const [one, other] = await Promise.all([
      cluster.start('api'),
      cluster.start('api'),
      cluster.start('projector,relay'),
    ]);
    const { ledger } = await open(one);
    const load = createLoad({ ledger, ports: [one.port, other.port], clients: 8 });
    await load.during(async () => {
      await pause(3000);
      await cluster.kill(one);
      const before = load.acknowledged.size;
      await until(() => load.acknowledged.size > before + 50, 60_000, 'the other goes on');
      const isCut = () => load.setbacks.has(0);
      await until(isCut, 60_000, 'somebody was cut off');
    });
    await check(other, load);
  });
});

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
const FAIR = 0.1;
