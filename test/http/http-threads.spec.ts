import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Reply } from '#src/http/reply.ts';
import { ok } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { rawConnection, statusesIn } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import {
  accountsPath,
  call,
  HTTP_WORKER,
  sampleRoutes,
  startSample,
  type Sample,
} from './sample.ts';

const MIB = 1024 * 1024;
const BODY = '{"name":"a"}';

describe('HTTP threads', () => {
  let sample: Sample;
  let hold: Promise<unknown> | undefined;
  const large = 'é€x'.repeat(MIB);
  const get = (operationId: string, handle: Route['handle']): Route => {
    const base = sampleRoutes.find((one) => one.operationId === 'readJournal')!;
    return { ...base, operationId, path: `/v1/${operationId}`, handle };
  };
  before(async () => {
    const create = sampleRoutes.find((one) => one.operationId === 'createAccount')!;
    sample = await startSample({
      routes: [
        {
          ...create,
          body: { type: 'object' },
          bodyLimit: 8 * MIB,
          handle: async ({ body }): Promise<Reply> => {
            await hold;
            return ok(JSON.stringify(body));
          },
        },
        get('text', () => ok(large)),
        get('pieces', () => ok([Buffer.from('['), Buffer.from(large), Buffer.from(']')])),
      ],
      threads: { count: 2, entryFile: HTTP_WORKER },
      memoryLimitBytes: 1024 * MIB,
    });
  });
  after(() => sample.server.close());
  afterEach(() => (hold = undefined));

  it('hand over bodies and replies that are longer than their queue', async () => {
    const sent = JSON.stringify({ text: large });
    const [echo, text, pieces] = await Promise.all([
      call(sample, 'POST', accountsPath, sent),
      call(sample, 'GET', '/v1/text'),
      call(sample, 'GET', '/v1/pieces'),
    ]);
    expect([echo.status, text.status, pieces.status]).to.deep.equal([200, 200, 200]);
    expect(echo.text === sent && text.text === large && pieces.text === `[${large}]`).to.equal(
      true,
    );
  });

  it('wait for the main thread where it is far behind', async () => {
    const sent = JSON.stringify({ text: 'x'.repeat(MIB) });
    const replies = Array.from({ length: 30 }, () => call(sample, 'POST', accountsPath, sent));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const until = performance.now() + 300;
    while (performance.now() < until); // Nothing is read meanwhile.
    for (const { text } of await Promise.all(replies)) expect(text === sent).to.equal(true);
  });

  it('keep the order of requests on one connection', async () => {
    const gate = Promise.withResolvers<undefined>();
    hold = gate.promise;
    const post = `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const first = `${post}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
    const last = `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const connection = rawConnection(sample.port, first + last);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connection.received()).to.equal('');
    gate.resolve(undefined);
    const received = await connection.closed;
    expect(statusesIn(received)).to.deep.equal([200, 200]);
    expect(received.indexOf('"name"')).to.be.within(0, received.indexOf('healthy'));
  });

  it('serve a port together, and leave one that is taken to the caller', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const refused = await sample.server.listen(port, '127.0.0.1').catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'EADDRINUSE');
    taken.close();
    const again = await sample.server
      .listen(sample.port, '127.0.0.1')
      .catch((error: unknown) => error);
    expect(again).to.have.property('code', 'EADDRINUSE'); // Not shared with a server that is left running.
  });
});

describe('an HTTP thread that fails', () => {
  it('fails the start', async () => {
    const entryFile = new URL('data:text/javascript,throw new Error("a defect")');
    const threads = { count: 1, entryFile };
    const refused = await startSample({ threads }).catch((error: unknown) => error);
    expect(refused).to.have.property('message', 'An HTTP thread ended');
    expect((refused as Error).cause).to.have.property('message', 'a defect');
  });

  it('is reported later', async () => {
    const faults: Error[] = [];
    const entryFile = new URL('failing-worker.ts', import.meta.url);
    const sample = await startSample({
      threads: { count: 1, entryFile },
      onFault: (error) => faults.push(error),
    });
    await call(sample, 'GET', '/health').catch(() => undefined);
    await until(() => faults.length === 1, 5000, 'a fault');
    expect(faults[0]?.cause).to.have.property('message', 'a defect');
    await sample.server.close();
  });
});
