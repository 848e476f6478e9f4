import { expect } from 'chai';
import { openBook, transfer, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { residentBytes } from '#test/support/process-memory.ts';
import { rawConnection, type RawConnection } from '#test/support/raw-connection.ts';
import { eventCount, serverOfBlock, until } from '#test/support/server.ts';

const MIB = 1024 * 1024;
const BUDGET = 128 * MIB;
const CLIENTS = 25;
const ITEMS = 1000;
const CUT_OFF_MS = 60_000;

/** Clients that ask for large replies and read nothing cost a bounded amount of memory for a bounded time. */
describe('replies that nobody reads', function () {
  this.timeout(240_000);
  const server = serverOfBlock({ env: { HTTP_MEMORY_BYTES: String(BUDGET) } });
  const client = clientOf(server, { timeoutMs: 60_000 });
  after(() => client.close());

  let book: Book;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500000' } });
  });

  const unread = (head: string, body: string): RawConnection => {
    const connection = rawConnection(
      server().port,
      `${head}Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
    );
    connection.socket.pause();
    return connection;
  };

  it('of 25 batches are held within the budget, and cut off', async () => {
    const item = {
      ...transfer('@alice', '@bob', '0.01'),
      metadata: Object.fromEntries(
        Array.from({ length: 4 }, (_, n) => [`k${n}`, 'x'.repeat(1500)]),
      ),
    };
    const body = JSON.stringify({ transactions: Array.from({ length: ITEMS }, () => item) });
    const before = residentBytes(server().pid).now;
    const connections = Array.from({ length: CLIENTS }, () =>
      unread(`POST ${book.at}/transactions/batch HTTP/1.1\r\n`, body),
    );
    const cutOff = () => server().output().split('its reader took nothing').length - 1;
    let served = 0;
    await until(
      async () => {
        const { status } = await client.get('/health');
        if (status === 200) served += 1;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return cutOff() > 0;
      },
      CUT_OFF_MS + 30_000,
      'connections that are cut off',
    );
    const { most } = residentBytes(server().pid);
    console.log(
      `      before ${String(Math.round(before / MIB))} MiB, at most ${String(Math.round(most / MIB))} MiB, ` +
        `${String(Math.round(body.length / MIB))} MiB a body`,
    );
    expect(most - before).to.be.below(8 * BUDGET);
    expect(served).to.be.above(0);
    for (const { socket } of connections) socket.destroy();
    await until(
      async () =>
        (await client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '1')))
          .status === 201,
      30_000,
      'the server going on',
    );
  });

  it('of lines end their connection, and the log tells which', async () => {
    const events = await eventCount(server());
    const line = JSON.stringify(transfer('@alice', '@bob', '0.01')) + '\n';
    const connection = rawConnection(
      server().port,
      `POST ${book.at}/transactions/batch HTTP/1.1\r\nHost: localhost\r\n` +
        'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    connection.socket.pause();
    const piece = line.repeat(200);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    for (let n = 0; n < 100; n += 1) connection.socket.write(chunk);
    await until(
      () => /createTransactionBatch[^\n]*its reader took nothing/.test(server().output()),
      CUT_OFF_MS,
      'the log',
    );
    connection.socket.resume();
    await connection.closed;
    expect(await eventCount(server())).to.be.above(events);
  });
});
