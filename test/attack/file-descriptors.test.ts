import { expect } from 'chai';
import { got, openBook, posted, transfer, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { openFiles } from '#test/support/process-memory.ts';
import { rawConnection, type RawConnection } from '#test/support/raw-connection.ts';
import { serverOfBlock, until } from '#test/support/server.ts';

const OPEN_FILES_MAX = 400;
const CONNECTIONS = 1000;

/** More connections than file descriptors fail alone: stores that are open go on reading and writing. */
describe('file descriptors', function () {
  this.timeout(120_000);
  const server = serverOfBlock({ openFilesMax: OPEN_FILES_MAX });
  const client = clientOf(server, { connections: 4 });
  after(() => client.close());

  it('stay for stores while more connections are opened than there are descriptors', async () => {
    const book: Book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    await got(client, `${book.at}/transactions`); // The first read opens files of its own.
    const idle = openFiles(server().pid);
    const flood: RawConnection[] = Array.from({ length: CONNECTIONS }, () =>
      rawConnection(server().port),
    );
    await until(() => openFiles(server().pid) > idle + 100, 10_000, 'connections');
    const most = openFiles(server().pid);
    console.log(`      ${idle} open files without connections, ${most} with ${CONNECTIONS} tried`);
    expect(most).to.be.below(OPEN_FILES_MAX - 50);
    for (let round = 0; round < 20; round += 1) {
      await posted(client, book.at, transfer('@alice', '@bob', '1'));
      await got(client, `${book.at}/transactions?limit=50`);
      await got(client, `${book.at}/accounts/alias/@bob/balances`);
    }
    expect(server().output()).not.to.match(/EMFILE|unable to open/);
    for (const { socket } of flood) socket.destroy();
    await until(() => openFiles(server().pid) <= idle + 8, 10_000, 'closed connections');
  });
});
