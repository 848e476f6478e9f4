import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { Lane } from './model/lane.ts';

const STEPS = Number(process.env['MODEL_STEPS'] ?? 20_000);
const LANES = 16;
const COMPARE_EVERY = 250;

/**
 * A model of the ledger, written from the contract with its own arithmetic, predicts every status, code and balance of a
 * random client. Ledgers are independent of each other, so that many clients are served at once and each run of a seed
 * asks for the same.
 */
describe('an independent model', function () {
  this.timeout(600_000);

  let server: Server;
  const client = clientOf(() => server, { undescribed: true, connections: LANES });
  before(async () => {
    server = await startServer();
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it(`predicts the responses to ${STEPS} requests, and the log is sound`, async () => {
    const counts = new Map<string, number>();
    await Promise.all(
      Array.from({ length: LANES }, async (_, n) => {
        const lane = new Lane(client, chanceOf(seedOfRun(1) * 1000 + n));
        await lane.open();
        for (let step = 1; step <= STEPS / LANES; step += 1) {
          await lane.step();
          if (step % COMPARE_EVERY === 0) await lane.compare();
        }
        await lane.compare();
        for (const [name, count] of lane.counts) counts.set(name, (counts.get(name) ?? 0) + count);
      }),
    );
    console.log(
      [...counts]
        .sort()
        .map(([name, count]) => `${name}: ${count}`)
        .join(', '),
    );
    await stopServer(server);
    const { code, stdout } = await quipu(['verify', server.dataDir]);
    expect([code, stdout]).to.deep.equal([0, stdout]);
    expect(stdout).to.include('Sound: ');
  });
});
