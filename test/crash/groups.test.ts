import { expect } from 'chai';
import { createOrganization, got, type Balance, type List } from '#test/e2e/books.ts';
import { openGroupLedger } from '#test/e2e/staged-groups.ts';
import { inScope } from '#test/e2e/v2-request.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';
import {
  killServer,
  removeFolder,
  startServer,
  temporaryFolder,
  until,
  type Server,
} from '#test/support/server.ts';

const ROUNDS = Math.ceil(Number(process.env['CRASH_ROUNDS'] ?? 200) / 10);
const SEED = seedOfRun(2);
const CLIENTS = 16;

/** What a kill between any two steps of a group leaves is finished: in every ledger, or in none. */
describe('groups of a server that is killed', function () {
  this.timeout(120_000 + ROUNDS * 120_000);

  const dataDir = temporaryFolder();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir });
    client = clientOf(() => server, { timeoutMs: 30_000 });
  });
  after(async () => {
    client.close();
    await killServer(server);
    removeFolder(dataDir);
  });

  it(`end everywhere or nowhere, once a key, through ${ROUNDS} kills (seed ${SEED})`, async () => {
    const chance = chanceOf(SEED);
    const org = (await createOrganization(client)).id;
    const open = (name: string) => openGroupLedger(client, org, name, ['@alice', '@bob']);
    const places = [await open('A'), await open('B'), await open('C')];
    const requests = new Map<string, object>();
    const answers = new Map<string, string>();

    const ask = async (key: string): Promise<void> => {
      const headers = { 'X-Idempotency': key };
      const { status, text } = await client.post(
        '/v2/transactions/direct',
        requests.get(key),
        headers,
      );
      if (status >= 500 || status === 429) return;
      if (status !== 201) {
        requests.delete(key); // Refused: its key is free.
        return;
      }
      expect(text, key).to.equal(answers.get(key) ?? text);
      answers.set(key, text);
    };
    const plan = (n: number): string => {
      const key = `${SEED}-${n}`;
      const [from, to] = [...places].sort(() => chance.unit() - 0.5);
      const amount = `${chance.int(1, 9)}.${chance.int(1, 9)}`;
      const debits = [inScope(from!).leg('@alice', amount)];
      const credits = [inScope(to!).part('@alice', 50), inScope(to!).part('@bob', 50)];
      requests.set(key, { asset: 'BRL', amount, debits, credits });
      return key;
    };

    let n = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      let over = false;
      const work = Array.from({ length: CLIENTS }, async () => {
        while (!over) {
          const key =
            chance.is(0.2) && requests.size > 0
              ? chance.pick([...requests.keys()])
              : plan((n += 1));
          await ask(key).catch((error: unknown) => {
            if (!over) throw error;
          });
        }
      });
      await new Promise((resolve) => setTimeout(resolve, chance.int(50, 600)));
      over = true;
      await killServer(server);
      await Promise.all(work);
      server = await startServer({ dataDir });
      for (const key of [...requests.keys()]) await ask(key);
      await until(isSettled, 90_000, `round ${round}: nothing crosses a border any more`);
    }
    expect(answers.size).to.be.above(ROUNDS);
    console.log(`      ${answers.size} groups acknowledged`);
    expect(await quipu(['verify', dataDir])).to.include({ code: 0 });

    /** What left one ledger has arrived in another: the worlds outside add up to what came in from there at first. */
    async function isSettled(): Promise<boolean> {
      let tenths = 0;
      for (const { at } of places) {
        const { items } = await got<List<Balance>>(client, `${at}/balances?limit=100`);
        if (items.some(({ onHold }) => onHold !== '0')) return false;
        const outside = items.find(({ alias }) => alias === '@external/BRL');
        tenths += Math.round(Number(outside?.available ?? '0') * 100);
      }
      return tenths === places.length * 200 * 100;
    }
  });
});
