import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf, type Client } from '#test/support/client.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';
import {
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { createAsset, createLedger, createOrganization, got, openBook } from '#test/e2e/books.ts';
import type { Account } from '#test/e2e/books.ts';
import { keyStorm } from '#test/e2e/key-storm.ts';
import { Audit } from './audit.ts';
import { Clients } from './clients.ts';
import { Intents, OUTSIDE } from './intents.ts';
import { Record } from './record.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 200);
const SEED = seedOfRun(1);
const KEYS_PER_CLIENT = Number(process.env['CRASH_KEYS'] ?? 2000);

describe('a server that is killed', function () {
  this.timeout(120_000 + ROUNDS * 60_000);

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

  it(`keeps every promise through ${ROUNDS} kills (seed ${SEED})`, async () => {
    const chance = chanceOf(SEED);
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
    for (let round = 1; round <= ROUNDS; round += 1) {
      const lines = chance.is(0.4) ? chance.int(200, 3000) : 0;
      const ms = lines > 0 ? chance.int(200, 1500) : chance.int(50, 400); // A stream takes its time.
      await killAfter(ms, (over) => clients.press(chance.int(32, 64), over, lines));
      if (chance.is(0.15)) {
        await killWhileStarting(chance.int(0, 700));
        whileStarting += 1;
      }
      if (chance.is(0.05)) forgetDerived();
      server = await startServer({ dataDir });
      if (chance.is(0.15)) {
        await killAfter(chance.int(5, 100), (over) => clients.settle(over));
        server = await startServer({ dataDir });
      }
      await clients.settle(() => false);
      await clients.must(intents.mark()); // From here on reads wait for what there is.

      await audit.latest();
      const { samples } = record;
      await audit.repeats([...samples.slice(-10), chance.pick(samples), chance.pick(samples)]);
      if (round % ROUNDS_PER_REPORT === 0 || round === ROUNDS) {
        await audit.whole(dataDir);
        report(round, performance.now() - from);
      }
    }

    function report(round: number, ms: number): void {
      const { transactions, accounts, ledgers, refused } = record;
      console.log(
        `      ${round} kills (+ ${whileStarting} while starting) in ${Math.round(ms / 1000)} s: ` +
          `${transactions.size} transactions, ${record.ended.size} ends, ` +
          `${record.reverted.size} reversals, ${accounts.size} accounts, ${ledgers.size} ledgers ` +
          `acknowledged, ${refused} refused, ${clients.repeated} repeated, ` +
          `${clients.foundDone} of these found done, ${clients.cut.streams} streams cut after ` +
          `${clients.cut.lines} lines`,
      );
    }
  });

  it(`gives one transaction and the same bytes per key: 64 clients, ${KEYS_PER_CLIENT} keys each, three times at once`, async function () {
    this.timeout(600_000);
    const own = await startServer();
    const many = clientOf(() => own);
    try {
      const book = await openBook(many, { accounts: ['@alice'] });
      await keyStorm(own, book, { clients: 64, keysPerClient: KEYS_PER_CLIENT });
    } finally {
      many.close();
      await stopServer(own);
      removeFolder(own.dataDir);
    }
  });

  /** Lets work go on for a while and kills the server in the middle of it. */
  async function killAfter(ms: number, work: (over: () => boolean) => Promise<void>) {
    let over = false;
    const killing = later(ms).then(async () => {
      over = true;
      await killServer(server);
    });
    await Promise.all([work(() => over), killing]);
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
});

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const ROUNDS_PER_REPORT = 20;
