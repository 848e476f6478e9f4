import { expect } from 'chai';
import { clientOf, type Client } from '#test/support/client.ts';
import { freePort } from '#test/support/free-port.ts';
import { quipu } from '#test/support/quipu.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { inFolders } from '#test/support/stores.ts';
import type { Book } from './books.ts';
import { createPackage, inOrganization, openFeeBook, packageOf } from './fee-books.ts';

describe('fees on a port of their own', function () {
  this.timeout(90_000);
  let server: Server;
  let own: Readonly<{ port: number }>;
  let book: Book;
  const main = clientOf(() => server, { undescribed: true });
  const fees = clientOf(() => own, { undescribed: true });

  before(async () => {
    own = { port: await freePort() };
    server = await startServer({ env: { FEES_PORT: String(own.port) } });
    book = await openFeeBook(main);
  });
  after(async () => {
    main.close();
    fees.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('are served there in version 1 by header, and only there', async () => {
    const { id } = await createPackage(fees, book);
    const headers = inOrganization(book.org);
    const inPath = `/v1/organizations/${book.org}/packages/${id}`;
    const inLedger = `/v2/organizations/${book.org}/ledgers/${book.ledger}/packages/${id}`;
    const statuses = (client: Client) =>
      Promise.all(
        [`/v1/packages/${id}`, inPath, inLedger, '/health', '/openapi.json'].map(
          async (path) => (await client.get(path, headers)).status,
        ),
      );
    expect(await statuses(fees)).to.deep.equal([200, 404, 404, 200, 200]);
    expect(await statuses(main)).to.deep.equal([404, 200, 200, 200, 200]);
    const refused = await main.post('/v1/packages', packageOf(book.ledger), headers);
    expect(refused.status).to.equal(404);
    const { paths } = (await fees.get('/openapi.json')).json() as { paths: object };
    expect(Object.keys(paths)).to.include.members(['/v1/packages', '/v1/fees', '/v1/estimates']);
    expect(Object.keys(paths)).to.not.include('/v1/organizations');
  });

  inFolders.it('leave journals that verify, and survive a restart', async () => {
    const { id } = await createPackage(fees, book, { transactionRoute: 'kept' });
    await stopServer(server);
    const { code, stdout, stderr } = await quipu(['verify', server.dataDir]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/Sound/).and.not.to.contain('no rules');
    server = await startServer({
      dataDir: server.dataDir,
      env: { FEES_PORT: String(own.port) },
    });
    const headers = inOrganization(book.org);
    const transaction = {
      route: 'kept',
      send: {
        ...{ asset: 'BRL', value: '100' },
        source: { from: [{ accountAlias: '@payer', remaining: 'remaining' }] },
        distribute: { to: [{ accountAlias: '@shop', remaining: 'remaining' }] },
      },
    };
    const body = { ledgerId: book.ledger, transaction };
    const answer = await fees.post('/v1/fees', body, headers);
    expect(answer.text).to.contain(`"packageAppliedID":"${id}"`).and.to.contain('"value":"102"');
  });
});
