import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  createAsset,
  createLedger,
  createOrganization,
  got,
  type Account,
} from '#test/e2e/books.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { chanceOf } from '#test/support/random.ts';
import {
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { Audit } from './audit.ts';
import { Clients } from './clients.ts';
import { Intents, OUTSIDE } from './intents.ts';
import { Record } from './record.ts';

/**
 * How a server ends while clients press it: `kill` as a power cut, `freeze` stopped for a while first, `thaw` stopped,
 * gone on, and killed later, `stop` as an operator ends it.
 */
export type Ending = 'kill' | 'freeze' | 'thaw' | 'stop';

/** A server that ends again and again under load, each time followed by an account of all that it acknowledged. */
export function killedServer(rounds: number, seed: number, endings: readonly Ending[]): void {
  const dataDir = temporaryFolder();
  let server: Server;
  let client: Client;
  let impatient: Client;
  before(async () => {
    server = await startServer({ dataDir });
    client = clientOf(() => server, { timeoutMs: 30_000 });
    impatient = clientOf(() => server, { timeoutMs: 30_000, impatient: true });
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.log(server.output());
  });
  after(async () => {
    client.close();
    impatient.close();
    await killServer(server);
    removeFolder(dataDir);
  });

  it(`keeps every promise through ${rounds} ends: ${endings.join(', ')} (seed ${seed})`, async () => {
    const chance = chanceOf(seed);
    const record = new Record();
    const org = (await createOrganization(client)).id;
    const ledger = await createLedger(client, org, { name: 'Main' });
    const book = { org, ledger: ledger.id, at: `/v1/organizations/${org}/ledgers/${ledger.id}` };
    record.ledgers.set('Main', JSON.stringify(ledger));
    await createAsset(client, book.at);
    const outside = await got<Account>(client, `${book.at}/accounts/external/BRL`);
    record.accounts.set(OUTSIDE, JSON.stringify(outside));
    record.available.set(OUTSIDE, 0n);

    const intents = new Intents(chance, record);
    const clients = new Clients(impatient, () => server.port, book, record, intents);
    const audit = new Audit(client, book, record);
    for (let n = 0; n < 100; n += 1) await clients.must(intents.account());
    for (const alias of record.accounts.keys()) {
      if (alias !== OUTSIDE) await clients.must(intents.fund(alias));
    }

    const from = performance.now();
    let whileStarting = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const lines = chance.is(0.4) ? chance.int(200, 3000) : 0;
      const ms = lines > 0 ? chance.int(200, 1500) : chance.int(50, 400); // A stream takes its time.
      const end = { ending: chance.pick(endings), frozenMs: chance.int(20, 1500) };
      await endAfter(ms, end, (over) => clients.press(chance.int(32, 64), over, lines));
      if (chance.is(0.15)) {
        await killWhileStarting(chance.int(0, 700));
        whileStarting += 1;
      }
      if (chance.is(0.05)) forgetDerived();
      server = await startServer({ dataDir });
      if (chance.is(0.15)) {
        await endAfter(chance.int(5, 100), KILL, (over) => clients.settle(over));
        server = await startServer({ dataDir });
      }
      await clients.settle(() => false);
      await clients.must(intents.mark()); // From here on reads wait for what there is.

      await audit.latest();
      const { samples } = record;
      await audit.repeats([...samples.slice(-10), chance.pick(samples), chance.pick(samples)]);
      if (round % ROUNDS_PER_REPORT === 0 || round === rounds) {
        await audit.whole(dataDir);
        report(round, performance.now() - from);
      }
    }
    expect(await stopServer(server)).to.equal(0);
    for (const command of ['verify', 'replay']) {
      expect(await quipu([command, dataDir]), command).to.include({ code: 0 });
    }

    function report(round: number, ms: number): void {
      const { transactions, accounts, ledgers, refused } = record;
      console.log(
        `      ${round} ends (+ ${whileStarting} kills while starting) in ${Math.round(ms / 1000)} s: ` +
          `${transactions.size} transactions, ${record.ended.size} ends, ` +
          `${record.reverted.size} reversals, ${accounts.size} accounts, ${ledgers.size} ledgers ` +
          `acknowledged, ${refused} refused, ${clients.repeated} repeated, ` +
          `${clients.foundDone} of these found done, ${clients.looked} without a key looked for, ` +
          `${clients.cut.streams} streams cut after ${clients.cut.lines} lines`,
      );
    }
  });

  /** Lets work go on for a while and ends the server in the middle of it. */
  async function endAfter(
    ms: number,
    { ending, frozenMs }: Readonly<{ ending: Ending; frozenMs: number }>,
    work: (over: () => boolean) => Promise<void>,
  ): Promise<void> {
    let over = false;
    const ended = async (): Promise<void> => {
      await later(ms);
      if (ending === 'freeze' || ending === 'thaw') {
        server.child.kill('SIGSTOP');
        await later(frozenMs);
      }
      if (ending === 'thaw') {
        server.child.kill('SIGCONT');
        await later(ms);
      }
      over = true;
      if (ending === 'stop') expect(await stopServer(server), server.output()).to.equal(0);
      else await killServer(server);
    };
    await Promise.all([work(() => over), ended()]);
  }

  /** Takes away what can be made again from the log; it is then made again under load. */
  function forgetDerived(): void {
    for (const name of readdirSync(dataDir)) {
      if (/^(read|index|snapshots)\.db/.test(name)) rmSync(join(dataDir, name));
    }
  }

  async function killWhileStarting(ms: number): Promise<void> {
    const starting = await launchServer({ dataDir });
    await later(ms);
    await killServer(starting);
  }
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const KILL = { ending: 'kill', frozenMs: 0 } as const;
const ROUNDS_PER_REPORT = 20;
