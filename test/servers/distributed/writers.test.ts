import { expect } from 'chai';
import { describeOnEngines, STORY_MS } from './engines.ts';
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
    const load = createLoad({ ledger, ports: [one.port, other.port], clients: 16 });
    await load.run(10_000);
    await check(other, load);

    const shares = [...load.byPort.values()];
    const total = shares.reduce((sum, share) => sum + share, 0);
    expect(total).to.equal(load.acknowledged.size);
    expect(total).to.be.greaterThan(100);
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
    const running = load.run(8000);
    await after(3000);
    const before = load.byPort.get(other.port) ?? 0;
    await cluster.kill(one);
    await running;
    expect(load.setbacks.get(0)).to.be.greaterThan(0); // Somebody was cut off.
    expect(load.byPort.get(other.port)).to.be.greaterThan(before);
    await check(other, load);
  });
});

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
