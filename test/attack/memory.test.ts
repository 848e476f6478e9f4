import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { transfer, openBook, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { residentBytes } from '#test/support/process-memory.ts';
import { rawConnection, type RawConnection } from '#test/support/raw-connection.ts';
import { eventCount, serverOfBlock, until } from '#test/support/server.ts';
import type { Flood, Flooded } from './flood.ts';

const MIB = 1024 * 1024;
const CONNECTIONS = Number(process.env['ATTACK_CONNECTIONS'] ?? 600);
const BUDGET = 128 * MIB;
const BODY = 8 * MIB;

/** Hundreds of large bodies at once stay within the memory budget, and small requests go on being served. */
describe('bodies in hand', function () {
  this.timeout(180_000);
  const server = serverOfBlock({ env: { HTTP_MEMORY_BYTES: String(BUDGET) } });
  const client = clientOf(server);
  const connections: RawConnection[] = [];
  let book: Book;
  let events = 0;

  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    events = await eventCount(server());
  });
  afterEach(() => {
    for (const { socket } of connections.splice(0)) socket.destroy();
  });
  after(() => client.close());

  const headOf = (path: string, bytes = BODY): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${String(bytes)}\r\n\r\n`;

  it('of 600 connections that send 8 MiB less a byte each have one bound', async () => {
    const before = residentBytes(server().pid).now;
    const flood: Flood = {
      port: server().port,
      connections: CONNECTIONS,
      head: headOf(`${book.at}/transactions/batch`),
      bodyBytes: BODY - 1,
    };
    const worker = new Worker(new URL('flood.ts', import.meta.url), { workerData: flood });
    let flooded: Flooded | undefined;
    worker.once('message', (told: Flooded) => (flooded = told));
    let served = 0;
    while (flooded === undefined) {
      const small = await client.post(
        `${book.at}/transactions/json`,
        transfer('@alice', '@bob', '0.01'),
      );
      expect(small.status, small.text).to.equal(201);
      served += 1;
    }
    const { statuses, sample } = flooded;
    worker.postMessage('end');

    expect(served).to.be.above(0);
    const refused = statuses.filter((status) => status === 503);
    expect(refused.length).to.be.above(0.9 * CONNECTIONS);
    expect(sample)
      .to.match(/\r\nRetry-After: 1\r\n/i)
      .and.contain('LDG-0501');
    const most = residentBytes(server().pid).most;
    console.log(
      `      before ${mib(before)}, at most ${mib(most)}, ${served} small requests served`,
    );
    expect(most - before).to.be.below(3 * BUDGET);
    expect(await eventCount(server())).to.equal(events + served);
  });

  it('give their memory back once their connections end', async () => {
    const large = { transactions: [transfer('@alice', '@bob', '0.01')], padding: 'x'.repeat(MIB) };
    await until(
      async () => {
        const answer = await client.post(`${book.at}/transactions/batch`, large);
        return answer.status === 400; // Read whole, and refused for its unknown field alone.
      },
      10_000,
      'a large body that has room',
    );
  });

  it('below an organization or ledger that does not exist are not read', async () => {
    const nowhere = book.at.replace(book.ledger, book.org);
    const connection = rawConnection(server().port, headOf(`${nowhere}/transactions/batch`));
    connections.push(connection);
    connection.socket.write(Buffer.alloc(100 * 1024, ' '));
    await until(() => connection.received().includes('LDG-0037'), 5000, 'the refusal');
  });
});

const mib = (bytes: number): string => `${String(Math.round(bytes / MIB))} MiB`;
