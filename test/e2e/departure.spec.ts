import { once } from 'node:events';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { removeFolder, startServer } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { openBook, posted, transfer } from './books.ts';

describe('SIGTERM to a server behind a balancer', () => {
  it('takes it out of rotation before it stops listening, and loses no request', async function () {
    this.timeout(60_000);
    const server = await startServer();
    const client = clientOf(() => server, { undescribed: true, impatient: true });
    const readyz = async () => (await client.get('/readyz')).status;
    await until(async () => (await readyz()) === 200, 30_000, 'ready');
    const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    const gone = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await until(async () => (await readyz()) === 503, 5000, 'not ready');
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
    expect(await gone).to.deep.equal([0, null]);
    client.close();
    removeFolder(server.dataDir);
  });
});
