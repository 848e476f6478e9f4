import { expect } from 'chai';
import { AWAY_MS, describeOnEngines, note, pause, STORY_MS } from './engines.ts';
import { createLoad } from './load.ts';
import { areOurs, bringUp, killEngine } from '#test/support/engines.ts';
import { stageOfStory } from './stage.ts';
import { until } from '#test/support/server.ts';

describeOnEngines('distributed: Kafka dies under load', () => {
  before(function () {
    if (!areOurs('kafka')) this.skip();
  });
  afterEach(async function () {
    this.timeout(STORY_MS);
    await bringUp('kafka');
  });
  const stage = stageOfStory(); // Its hooks come after: they need every engine.

  it('and stays away for a while: money moves on, and every record comes in the end', async function () {
    this.timeout(STORY_MS + AWAY_MS);
    const { cluster, open, check } = stage();
    const api = await cluster.start('api');
    await cluster.start('projector,relay', { STREAMING_CB_TIMEOUT_S: '2' }); // Else it waits for 30 s.
    const { ledger, reader } = await open(api);
    const load = createLoad({ ledger, ports: [api.port], clients: 8 });
    await load.during(async () => {
      await pause(2000);
      await killEngine('kafka');
      const before = load.acknowledged.size;
      await pause(AWAY_MS);
      await until(() => load.acknowledged.size > before, 60_000, 'money moves on');
      await bringUp('kafka');
      const backMs = performance.now();
      const count = reader.count(cluster.topics.changed);
      const more = () => reader.count(cluster.topics.changed) > count;
      await until(more, RECOVERED_MS, 'records come again');
      note(`records again ${Math.round(performance.now() - backMs)} ms after the broker`);
    });
    expect(Object.fromEntries(load.setbacks)).to.deep.equal({}); // Writes never needed it.
    const { repeated } = await check(api, load);
    note(`${load.acknowledged.size} moves, ${repeated} records came again`);
  });
});

const RECOVERED_MS = 120_000;
