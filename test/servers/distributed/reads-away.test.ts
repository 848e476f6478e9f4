import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { until } from '#test/support/server.ts';
import { AWAY_MS, describeOnEngines, note, pause, STORY_MS } from './engines.ts';
import { createLoad } from './load.ts';
import { areOurs, bringUp, killEngine, type Engine } from '#test/support/engines.ts';
import { stageOfStory } from './stage.ts';

describeOnEngines('distributed: the read store dies under load', () => {
  before(function () {
    if (!areOurs('postgres', 'ferretdb')) this.skip();
  });
  afterEach(async function () {
    this.timeout(STORY_MS);
    await bringUp('mongodb');
  });
  const stage = stageOfStory(); // Its hooks come after: they need every engine.

  const stories: readonly (readonly [string, Engine])[] = [
    ['the database behind it', 'postgres'],
    ['the server itself', 'ferretdb'],
  ];
  for (const [what, engine] of stories) {
    it(`${what}: reads say so, and everything goes on when it is back`, async function () {
      this.timeout(STORY_MS + AWAY_MS);
      const { cluster, open, check } = stage();
      const api = await cluster.start('api');
      await cluster.start('projector,relay');
      const { ledger } = await open(api);
      const load = createLoad({ ledger, ports: [api.port], clients: 8 });
      const client = clientOf(() => api, { impatient: true });
      const read = async () => client.get(`${ledger.at}/balances`);
      await load.during(async () => {
        await pause(2000);
        await killEngine(engine);
        const [killedMs, before] = [performance.now(), load.acknowledged.size];
        while (performance.now() - killedMs < AWAY_MS) {
          const answer = await read();
          expect(answer.status, answer.text).to.equal(503);
          expect(answer.headers['retry-after']).to.match(/^\d+$/);
          await pause(250);
        }
        note(`${load.acknowledged.size - before} moves while ${engine} was away`);
        await bringUp('mongodb');
        const backMs = performance.now();
        await until(async () => (await read()).status === 200, RECOVERED_MS, 'reads go on');
        note(`reads again ${Math.round(performance.now() - backMs)} ms after ${engine}`);
        const count = load.acknowledged.size;
        const more = () => load.acknowledged.size > count + 20;
        await until(more, RECOVERED_MS, 'moves go on');
      });
      client.close();
      await check(api, load);
    });
  }
});

const RECOVERED_MS = 120_000;
