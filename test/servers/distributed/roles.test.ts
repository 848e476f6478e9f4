import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { until, type Server } from '#test/support/server.ts';
import type { Consumed } from '../kafka.ts';
import { describeOnEngines, note, pause, STORY_MS } from './engines.ts';
import type { Ledger } from './ledger.ts';
import { createLoad, type Load } from './load.ts';
import type { Reader } from './reader.ts';
import { stageOfStory } from './stage.ts';

describeOnEngines('distributed: a role dies under load', () => {
  const stage = stageOfStory();

  it('and a standby takes over within seconds, as often as it happens', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const api = await cluster.start('api');
    let active = await cluster.start('projector,relay');
    const { ledger, reader } = await open(api);
    const load = createLoad({ ledger, ports: [api.port], clients: 8 });
    const seen = newsOf(load, ledger, api, reader, cluster.topics.posted);
    await load.during(async () => {
      await seen('the roles are at work');
      for (let round = 1; round <= 2; round += 1) {
        const standby = await cluster.start('projector,relay');
        await pause(1500); // It has asked for the roles and did not get them.
        const killedMs = performance.now();
        await cluster.kill(active);
        const { readMs, publishedMs } = await seen('the standby has taken over');
        const [read, published] = [readMs - killedMs, publishedMs - killedMs];
        note(`taken over: read model after ${ms(read)}, topics after ${ms(published)}`);
        expect(Math.max(read, published)).to.be.lessThan(TAKEN_OVER_MS);
        active = standby;
      }
    });
    await check(api, load);
  });

  it('between publishing and its checkpoint: what comes again has the same ce-id', async function () {
    this.timeout(STORY_MS);
    const { cluster, open, check } = stage();
    const api = await cluster.start('api,projector');
    let relay = await cluster.start('relay');
    const { ledger, reader } = await open(api);
    const load = createLoad({ ledger, ports: [api.port], clients: 8 });
    const cameAgain = () => repeatedIn(reader.records(cluster.topics.changed)) > 0;
    let rounds = 0;
    await load.during(async () => {
      for (; rounds < ROUNDS || (!cameAgain() && rounds < ROUNDS_MAX); rounds += 1) {
        const before = reader.count(cluster.topics.changed);
        const more = () => reader.count(cluster.topics.changed) > before;
        await until(more, 30_000, 'records come');
        await cluster.kill(relay);
        relay = await cluster.start('relay');
      }
    });
    const { repeated } = await check(api, load);
    note(`${rounds} relays killed, ${repeated} records came again`);
    expect(repeated).to.be.greaterThan(0); // Else none of them died between the two.
  });
});

/** Waits until a transaction that is acknowledged from now on is read, and consumed; answers when that was. */
function newsOf(load: Load, ledger: Ledger, server: Server, reader: Reader, topic: string) {
  const client = clientOf(() => server, { impatient: true });
  return async (what: string) => {
    const count = load.acknowledged.size;
    const isThere = () => load.acknowledged.size > count + 10; // Those in flight were sent before.
    await until(isThere, 60_000, 'moves go on');
    const id = [...load.acknowledged.keys()][count + 10] ?? '';
    const [readMs, publishedMs] = await Promise.all([
      timeOf(async () => {
        const answer = await client.get(`${ledger.at}/transactions/${id}`);
        return answer.status === 200;
      }, `${what}: ${id} is read`),
      timeOf(
        () => reader.records(topic).some(({ key }) => key === id),
        `${what}: ${id} is published`,
      ),
    ]);
    return { readMs, publishedMs };
  };
}

const repeatedIn = (records: readonly Consumed[]): number =>
  records.length - new Set(records.map(({ headers }) => headers['ce-id'])).size;

async function timeOf(holds: () => boolean | Promise<boolean>, what: string): Promise<number> {
  await until(holds, 90_000, what);
  return performance.now();
}

const ms = (duration: number): string => `${Math.round(duration)} ms`;
/** Ten seconds are what it takes by its own clock (hold-role.spec.ts); here a machine may stand still between. */
const TAKEN_OVER_MS = 30_000;
const ROUNDS = 4;
const ROUNDS_MAX = 20;
