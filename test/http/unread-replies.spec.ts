import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { MemoryBudget } from '#src/http/memory-budget.ts';
import { noContent, ok, streamed } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { sentMarkOf } from '#src/http/socket-connection.ts';
import { UnsentReplies } from '#src/http/unsent-replies.ts';
import { rawConnection } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import { call, listLog, sampleRoutes, startSample, type Sample } from './sample.ts';

const MIB = 1024 * 1024;
const LARGE = 'x'.repeat(8 * MIB);

describe('a reply that nobody reads', () => {
  let sample: Sample;
  let made = 0;
  const start = async (unreadReplyMs: number) => {
    made = 0;
    const base = sampleRoutes.find(({ operationId }) => operationId === 'readJournal')!;
    const routeOf = (
      operationId: string,
      method: Route['method'],
      handle: Route['handle'],
    ): Route => ({
      ...{ ...base, operationId, method, path: `/v1/${operationId}`, handle },
    });
    sample = await startSample({
      routes: [
        routeOf('large', 'get', () => ok(LARGE)),
        routeOf('largeWrite', 'post', () => ok(LARGE)),
        routeOf('endless', 'get', () => streamed(endless(), 'application/x-ndjson')),
        routeOf('nothing', 'get', () => noContent()),
      ],
      memoryLimitBytes: 32 * MIB,
      timeouts: { unreadReplyMs, checkMs: 20 },
    });
  };
  afterEach(() => sample.server.close());

  async function* endless(): AsyncGenerator<string> {
    for (; ; made += 1) yield `${'x'.repeat(64 * 1024)}\n`;
  }

  const unread = (path: string, method = 'GET') => {
    const connection = rawConnection(
      sample.port,
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
    );
    connection.socket.pause();
    return connection;
  };

  it('ends its connection after a set time, and the log says so', async () => {
    await start(400);
    const connections = ['/v1/large', '/v1/endless'].map((path) => unread(path));
    await until(() => sample.log.length === 2, 5000, 'two connections cut off');
    for (const line of sample.log) {
      expect(line).to.include({ level: 'warn' }).and.have.property('requestId');
      expect(line['message']).to.contain('its reader took nothing for 0.4 s');
      expect(line['unsentBytes']).to.be.above(0);
    }
    expect(sample.log.map(({ operation }) => operation)).to.have.members(['large', 'endless']);
    for (const { socket, closed } of connections) {
      socket.resume();
      await closed;
    }
    const before = made;
    expect((await call(sample, 'GET', '/v1/nothing')).status).to.equal(204);
    expect(made).to.equal(before);
  });

  it('counts as memory: large reads get 503 then, small ones and writes their replies', async () => {
    await start(60_000); // None of these connections ends by itself while a slow machine asks.
    // The kernel takes up to half of each reply, so that six would do on some machines only.
    const connections = Array.from({ length: 16 }, () => unread('/v1/large'));
    await until(
      async () => (await call(sample, 'GET', '/v1/large')).status === 503,
      5000,
      'no room',
    );
    expect((await call(sample, 'GET', '/v1/nothing')).status).to.equal(204);
    expect((await call(sample, 'POST', '/v1/largeWrite')).status).to.equal(200);
    for (const { socket } of connections) socket.destroy();
    await until(async () => (await call(sample, 'GET', '/v1/large')).status === 200, 5000, 'room');
  });
});

describe('a reply that is read slowly', () => {
  it('keeps its connection as long as bytes of one long write go out', async () => {
    const log: Readonly<Record<string, unknown>>[] = [];
    const memory = new MemoryBudget(32 * MIB);
    const unsent = new UnsentReplies(memory, listLog(log));
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => {
      response.end(LARGE);
      const connection = { sentMark: () => sentMarkOf(response) };
      unsent.watch({ response, connection }, 'r', 'large');
      resolve(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = rawConnection(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    connection.socket.pause();
    const { socket } = (await promise) as ServerResponse & { socket: Queued };
    expect(memory.held).to.be.above(LARGE.length - 1);

    const left = socket._handle.writeQueueSize;
    connection.socket.resume();
    await until(() => socket._handle.writeQueueSize < left, 5000, 'some bytes going out');
    unsent.cutOffStalled(0);
    expect([log, socket.destroyed]).to.deep.equal([[], false]);
    await until(() => memory.held === 0, 5000, 'the end of the reply');
    unsent.cutOffStalled(0);
    expect(log).to.deep.equal([]);
    connection.socket.destroy();
    server.close();
  });
});

type Queued = Socket & { _handle: { writeQueueSize: number } };
