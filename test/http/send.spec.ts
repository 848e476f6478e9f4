import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { created, listed, streamed } from '#src/http/reply.ts';
import { send } from '#src/http/send.ts';
import { until } from '#test/support/server.ts';

const CHUNK = 'x'.repeat(64 * 1024);

describe('a long answer in pieces', () => {
  it('comes as one, with its length', async () => {
    const items = [CHUNK, 'é'].map((text) => JSON.stringify(text)).join();
    const server = createServer((request, response) => {
      const bytes = new TextEncoder().encode(items);
      void send(request, response, listed(bytes, { limit: 2 }), 'r', undefined, never);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const method of ['GET', 'HEAD', 'GET']) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method });
      const text = `{"items":[${items}],"limit":2}`;
      expect(answer.headers.get('Content-Length')).to.equal(String(Buffer.byteLength(text)));
      expect(await answer.text()).to.equal(method === 'HEAD' ? '' : text);
    }
    server.closeAllConnections();
    server.close();
  });
});

describe('a text that is known to be ASCII', () => {
  it('comes with its length and every byte, like any other', async () => {
    const body = JSON.stringify({ text: ' !#~'.repeat(10_000) });
    const server = createServer((request, response) => {
      void send(request, response, created(body, { isAscii: true }), 'r', undefined, never);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.headers.get('Content-Length')).to.equal(String(body.length));
    expect(await answer.text()).to.equal(body);
    server.closeAllConnections();
    server.close();
  });
});

describe('an answer in chunks', () => {
  let server: Server;
  let made: number;
  let ended: boolean;

  /** Never waits for anything itself, as a reading of the embedded log. */
  async function* chunks(count: number): AsyncIterable<string> {
    try {
      for (; made < count; made += 1) yield CHUNK;
    } finally {
      ended = true;
    }
  }

  beforeEach(async () => {
    made = 0;
    ended = false;
    server = createServer((request, response) => {
      const count = Number(request.url?.slice(1));
      void send(request, response, streamed(chunks(count), 'text/plain'), 'r', undefined, never);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = async (count: number): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const asking = get({ host: '127.0.0.1', port, path: `/${count}` });
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return answer;
  };

  it('comes whole', async () => {
    let length = 0;
    for await (const part of await ask(50)) length += (part as Buffer).length;
    expect(length).to.equal(50 * CHUNK.length);
    expect(ended).to.equal(true);
  });

  it('is made no faster than it is read', async () => {
    const answer = await ask(100_000);
    await standsStill();
    expect(made).to.be.below(1000); // What the buffers of two sockets hold; 6 GB otherwise.
    const before = made;
    answer.resume();
    await until(() => made > before + 100, 30_000, 'reading on');
    answer.destroy();
  });

  it('is made no more once its reader has gone, waiting or not', async () => {
    for (const reading of [true, false]) {
      made = 0;
      ended = false;
      const answer = await ask(1_000_000);
      if (reading) answer.resume();
      await until(() => made > 20, 30_000, 'some chunks');
      if (!reading) await standsStill();
      answer.destroy();
      await until(() => ended, 30_000, 'the end of the making');
      expect(made).to.be.below(1_000_000);
    }
  });

  it('lets others have their turn', async () => {
    const endless = await ask(1_000_000);
    endless.resume();
    await until(() => made > 20, 30_000, 'some chunks');
    expect((await ask(0)).statusCode).to.equal(200);
    const before = made;
    expect(before).to.be.below(1_000_000);
    await until(() => made > before, 30_000, 'the first one going on');
    endless.destroy();
  });

  async function standsStill(): Promise<void> {
    let seen = -1;
    await until(
      async () => {
        if (seen === made) return true;
        seen = made;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return false;
      },
      30_000,
      'a pause',
    );
  }
});

const never = (error: unknown): void => {
  throw error;
};
