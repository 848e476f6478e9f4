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
    const loyal = () => [...load.byPort.values()].reduce((sum, share) => sum + share, 0);
    await load.during(async () => {
      await pause(10_000);
      await until(() => loyal() > 100, 60_000, 'enough to be shared');
    });
    await check(other, load);

    const shares = [...load.byPort.values()];
    const total = loyal();
    note(`${total} by loyal clients, shares ${shares.join(' and ')}`);
    for (const share of shares) expect(share / total).to.be.at.least(0.1);
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
      const isCut = () => (load.setbacks.get(0) ?? 0) > 0;
      await until(isCut, 60_000, 'somebody was cut off');
    });
    await check(other, load);
  });
});
