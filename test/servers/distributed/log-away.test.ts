import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { until } from '#test/support/server.ts';
import { AWAY_MS, describeOnEngines, pause, STORY_MS } from './engines.ts';
import { BANK, createLoad } from './load.ts';
import { exactly, got, openBook, sending } from '#test/e2e/books.ts';
import { stageOfStory } from './stage.ts';

describeOnEngines('distributed: the event store goes away under load', () => {
  const stage = stageOfStory();

  it('and comes back: everybody goes on, nothing acknowledged is missing', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const api = await cluster.start('api');
    await cluster.start('projector,relay');
    const { ledger } = await open(api);
    const load = createLoad({ ledger, ports: [api.port], clients: 8 });
    await load.during(async () => {
      for (let round = 0; round < 3; round += 1) {
        await pause(1500);
        await cluster.double.kill();
        await cluster.double.restart();
      }
      await pause(1500);
    });
    await check(api, load);
  });

  it('for a while: writes are told when to come again, reads go on', async function () {
    this.timeout(STORY_MS + AWAY_MS);
    const { cluster, open, check } = stage();
    const api = await cluster.start('api');
    await cluster.start('projector,relay');
    const client = clientOf(() => api);
    const impatient = clientOf(() => api, { impatient: true });
    const quiet = await openBook(client, { accounts: ['@saver'] });
    const { ledger } = await open(api);
    const load = createLoad({ ledger, ports: [api.port], clients: 8 });
    await load.during(async () => {
      await pause(1500);
      await got(client, `${quiet.at}/balances`); // The read models hold it before the log goes.
      await cluster.double.kill();
      const backMs = performance.now() + AWAY_MS;
      const body = sending('1', [exactly(BANK, '1')], [exactly('@purse-0', '2')]); // Never to be taken.
      let refused = 0;
      while (performance.now() < backMs) {
        const read = await client.get(`${quiet.at}/balances`);
        expect(read.status, read.text).to.equal(200);
        // What was acknowledged in the last moment may not have come to the projector: nothing older is shown then.
        const own = await impatient.get(`${ledger.at}/balances`);
        if (own.status !== 200) expect(own.status, own.text).to.equal(503);
        const write = await impatient.post(`${ledger.at}/transactions/json`, body);
        // A 429 when what it does not show for so long stands in the way before the log does.
        if (write.status === 503 || write.status === 429) {
          expect(write.headers['retry-after']).to.match(/^\d+$/);
          refused += 1;
        } else expect(write.status).to.equal(422);
        await pause(250);
      }
      expect(refused).to.be.greaterThan(0);
      await cluster.double.restart();
      const before = load.acknowledged.size;
      await until(() => load.acknowledged.size > before, 60_000, 'writes go on');
    });
    expect(load.setbacks.get(503)).to.not.equal(undefined);
    client.close();
    impatient.close();
    await check(api, load);
  });
});
