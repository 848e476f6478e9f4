import { expect } from 'chai';
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
    await load.during(() => pause(10_000));
    await check(other, load);

    const shares = [...load.byPort.values()];
    const total = shares.reduce((sum, share) => sum + share, 0);
    expect(total).to.be.greaterThan(100);
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
    let before = 0;
    await load.during(async () => {
      await pause(3000);
      await cluster.kill(one);
      before = load.acknowledged.size;
      await pause(5000);
    });
    expect(load.setbacks.get(0)).to.be.greaterThan(0); // Somebody was cut off.
    expect(load.acknowledged.size).to.be.greaterThan(before + 50);
    await check(other, load);
  });
});
