import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { stopServer, until, type Server } from '#test/support/server.ts';
import { describeOnMongo } from '../mongo.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { note, pause } from './engines.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { createLoad } from './load.ts';
import { checkMoney } from './money.ts';

describeOnMongo('distributed: an owner for each journal', () => {
  let cluster: Cluster;
  let servers: readonly [Server, Server];
  let ledger: Ledger;

  beforeEach(async function () {
    this.timeout(STORY_MS);
    cluster = await startCluster({ STREAMING_ENABLED: 'false' });
    const [one, other] = await Promise.all([
      cluster.start('api,projector'),
      cluster.start('api,projector'),
    ]);
    servers = [one, other];
    await until(async () => (await isJoined(one)) && isJoined(other), 10_000, 'they share');
    ledger = await openLedger(one);
  });
  afterEach(() => cluster.remove());

  const ports = (): number[] => servers.map(({ port }) => port);

  /** The server that decides the commands of the ledger: the other one forwards them. */
  const ownerFirst = async (): Promise<readonly [Server, Server]> => {
    const [one, other] = servers;
    return (await forwardedBy(one)) > (await forwardedBy(other)) ? [other, one] : [one, other];
  };

  it('decides in one of two processes, in which clients see their own writes', async function () {
    this.timeout(STORY_MS);
    const load = createLoad({ ledger, ports: ports(), clients: 6, loyal: 4, thinkMs: 0 });
    await load.during(() => pause(4000));
    await checkMoney(servers[0], ledger, load);
    expect(Object.fromEntries(load.setbacks)).to.deep.equal({});
    const [owner, other] = await ownerFirst();
    expect(await forwardedBy(other)).to.be.greaterThan(50);
    expect(await forwardedBy(owner)).to.be.lessThan(10); // Journals of other names.
  });

  it('goes on in the other process when the owner is killed', async function () {
    this.timeout(STORY_MS);
    const load = createLoad({ ledger, ports: ports(), clients: 8, thinkMs: 0 });
    let [gapMs, survivor] = [Infinity, servers[0]];
    await load.during(async () => {
      await until(() => load.acknowledged.size > 500, 60_000, 'the load is under way');
      const [owner, other] = await ownerFirst();
      survivor = other;
      await cluster.kill(owner);
      gapMs = await longestGap(() => load.acknowledged.size, 5000);
    });
    await checkMoney(survivor, ledger, load);
    note(`the longest time without a write: ${gapMs.toFixed(0)} ms`);
    expect(gapMs).to.be.lessThan(2000);
  });

  it('hands over without a setback when the owner is stopped', async function () {
    this.timeout(STORY_MS);
    await createLoad({ ledger, ports: ports(), clients: 4 }).during(() => pause(500));
    const [owner, other] = await ownerFirst();
    const load = createLoad({ ledger, ports: [other.port], clients: 2, loyal: 6, thinkMs: 0 });
    await load.during(async () => {
      await pause(2000);
      expect(await stopServer(owner)).to.equal(0);
      await pause(2000);
    });
    expect(Object.fromEntries(load.setbacks)).to.deep.equal({});
    expect(await metricOf(other, 'quipu_peers')).to.equal(0);
  });
});

async function metricOf({ port }: Pick<Server, 'port'>, name: string): Promise<number> {
  const client = clientOf(() => ({ port }));
  const { text } = await client.get('/metrics');
  client.close();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 'NaN');
}

const isJoined = async (server: Server): Promise<boolean> =>
  (await metricOf(server, 'quipu_peers')) === 1;
const forwardedBy = (server: Server): Promise<number> =>
  metricOf(server, 'quipu_forwarded_commands_total');

/** The longest time without progress, in milliseconds. */
async function longestGap(count: () => number, forMs: number): Promise<number> {
  const fromMs = performance.now();
  let [last, sinceMs, longestMs] = [count(), fromMs, 0];
  while (performance.now() - fromMs < forMs) {
    await pause(5);
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - sinceMs);
    if (count() !== last) [last, sinceMs] = [count(), nowMs];
  }
  return longestMs;
}

const STORY_MS = 120_000;
