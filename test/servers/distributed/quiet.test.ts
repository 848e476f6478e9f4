import { expect } from 'chai';
import { until } from '#test/support/server.ts';
import { expectChanged, expectPosted } from './contract.ts';
import { describeOnEngines, pause, STORY_MS } from './engines.ts';
import { createLoad } from './load.ts';
import { stageOfStory } from './stage.ts';

describeOnEngines('distributed: a quiet day', () => {
  const stage = stageOfStory();

  it('brings every transaction to the read model and to a consumer, as the contract says', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const server = await cluster.start('api,projector,relay');
    const { ledger, reader } = await open(server);
    const load = createLoad({ ledger, ports: [server.port], clients: 4 });
    await load.during(async () => {
      await pause(3000);
      await until(() => load.acknowledged.size > 20, 60_000, 'some transactions');
    });
    expect(Object.fromEntries(load.setbacks)).to.deep.equal({});
    const { journal, repeated } = await check(server, load);
    expect(repeated).to.equal(0);

    const one = journal[Math.floor(journal.length / 2)]!;
    const { id, operations } = one.transaction;
    const posted = reader.records(cluster.topics.posted).find(({ key }) => key === id);
    expectPosted(posted, cluster.platform, one);
    for (const [number, operation] of operations.entries()) {
      const changed = reader
        .records(cluster.topics.changed)
        .find(({ headers }) => headers['ce-subject'] === `${id}:${operation.id}`);
      expectChanged(changed, cluster.platform, one, number);
    }
  });
});
