import { clientOf } from '#test/support/client.ts';
import { seedOfRun } from '#test/support/random.ts';
import { removeFolder, startServer, stopServer } from '#test/support/server.ts';
import { openBook } from '#test/e2e/books.ts';
import { keyStorm } from '#test/e2e/key-storm.ts';
import { killedServer } from './kills.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 200);
const KEYS_PER_CLIENT = Number(process.env['CRASH_KEYS'] ?? 2000);

describe('a server that is killed', function () {
  this.timeout(120_000 + ROUNDS * 60_000);

  killedServer(ROUNDS, seedOfRun(1), ['kill']);

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
});
