import { expect } from 'chai';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { got, openBook, posted, transfer, type Book, type List } from '#test/e2e/books.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';

const ANSWERED_MS = 10_000;

describe('an event store that is frozen', function () {
  this.timeout(120_000);
  let double: EventStoreDouble;
  let server: Server;
  let client: Client;
  let book: Book;
  before(async () => {
    double = await startEventStoreDouble();
    server = await startServer({ env: { EVENT_STORE_URL: double.url } });
    client = clientOf(() => server); // A machine that is busy may ask to come again.
    book = await openBook(client, { accounts: ['@alice', '@bob'] });
    await posted(client, book.at, transfer('@external/BRL', '@alice', '100'));
    // What was acknowledged has to be in the read models before the store is frozen: a read waits for it.
    await got(client, `${book.at}/accounts/alias/%40alice/balances`);
    client.close();
    client = clientOf(() => server, { impatient: true });
  });
  after(async () => {
    process.kill(double.pid(), 'SIGCONT');
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
    await double.stop();
  });

  it('has every POST answered within 10 s, goes on being read, and applies each key once', async () => {
    const path = `${book.at}/transactions/json`;
    const keys = Array.from({ length: 12 }, (_, n) => `frozen-${String(n)}`);
    const post = async (key: string) => {
      const fromMs = performance.now();
      const body = transfer('@alice', '@bob', '1');
      const { status, headers } = await client.post(path, body, { 'X-Idempotency': key });
      return { status, retryAfter: headers['retry-after'], ms: performance.now() - fromMs };
    };

    process.kill(double.pid(), 'SIGSTOP');
    const frozen: Promise<Awaited<ReturnType<typeof post>>>[] = [];
    for (const key of keys) {
      frozen.push(post(key)); // Those that come later wait behind one that is not answered.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const name = { name: 'Another' };
    const elsewhere = client.post(`/v1/organizations/${book.org}/ledgers`, name);
    const balances = await client.get(`${book.at}/accounts/alias/%40alice/balances`);
    expect(balances.status).to.equal(200);
    const readyMs = performance.now();
    expect((await client.get('/readyz')).status).to.equal(503);
    expect(performance.now() - readyMs).to.be.below(2000);
    for (const { status, retryAfter, ms } of await Promise.all(frozen)) {
      expect(status).to.equal(503);
      expect(retryAfter).to.be.a('string');
      expect(ms).to.be.below(ANSWERED_MS);
    }
    expect((await elsewhere).status).to.equal(503);

    process.kill(double.pid(), 'SIGCONT');
    const patient = clientOf(() => server);
    for (const key of keys) {
      const body = transfer('@alice', '@bob', '1');
      expect((await patient.post(path, body, { 'X-Idempotency': key })).status).to.equal(201);
    }
    const { items } = await got<List<{ available: string }>>(
      patient,
      `${book.at}/accounts/alias/%40bob/balances`,
    );
    expect(items[0]?.available).to.equal(String(keys.length));
    patient.close();
  });
});
