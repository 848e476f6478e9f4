import { expect } from 'chai';
import { createConcurrencyLimit } from '#src/http/concurrency-limit.ts';
import { created } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { rawConnection } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import { accountsPath, call, sampleRoutes, startSample, type Sample } from './sample.ts';

describe('bodies that wait for their turn', () => {
  let sample: Sample;
  let begun: string[];
  let arrived: number;
  let ends: Map<string, () => void>;

  beforeEach(async () => {
    begun = [];
    arrived = 0;
    ends = new Map();
    const limit = createConcurrencyLimit({
      ...{ bytesMax: 1, waitingMax: 10, waitMsMax: 60_000, tasks: 'bodies' },
    });
    const held: Route = {
      ...sampleRoutes.find(({ operationId }) => operationId === 'createAccount')!,
      limit: () => {
        arrived += 1;
        return limit;
      },
      handle: async ({ body }) => {
        const { name } = body as Readonly<{ name: string }>;
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return created(JSON.stringify({ name }));
      },
    };
    sample = await startSample({ routes: [held] });
  });
  afterEach(() => sample.server.close());

  const send = (name: string) => call(sample, 'POST', accountsPath, JSON.stringify({ name }));
  const beginning = (...names: string[]) =>
    until(() => begun.join() === names.join(), 5000, `${names.join()} to begin`);
  /** Sends requests one after the other, so that they arrive in this order; two of them begin at once. */
  const running = async (...names: string[]) => {
    const replies = [];
    for (const [n, name] of names.entries()) {
      replies.push(send(name));
      await beginning(...names.slice(0, n + 1));
    }
    return replies;
  };
  const statuses = async (replies: readonly ReturnType<typeof send>[]) =>
    (await Promise.all(replies)).map(({ status }) => status);

  it('are handled when one before them has its reply', async () => {
    const replies = await running('a', 'b');
    replies.push(send('c'));
    ends.get('b')!();
    await beginning('a', 'b', 'c');
    ends.get('a')!();
    ends.get('c')!();
    expect(await statuses(replies)).to.deep.equal([201, 201, 201]);
  });

  it('are read then: one that is refused leaves its turn to the next', async () => {
    const replies = await running('a', 'b');
    const malformed = call(sample, 'POST', accountsPath, '{"name":');
    await until(() => arrived === 3, 5000, 'the body to arrive');
    const next = send('c');
    ends.get('a')!();
    expect((await malformed).status).to.equal(400);
    await beginning('a', 'b', 'c');
    for (const name of ['b', 'c']) ends.get(name)!();
    expect(await statuses([...replies, next])).to.deep.equal([201, 201, 201]);
  });

  it('are dropped if their connection is broken', async () => {
    const replies = await running('a', 'b');
    const body = '{"name":"gone"}';
    const head =
      `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`;
    const gone = rawConnection(sample.port, head + body);
    await until(() => arrived === 3, 5000, 'the body to arrive');
    gone.socket.resetAndDestroy(); // A client that only ends its side still gets its reply.
    await gone.closed;
    // By now the server has seen the end of the connection, whichever of its threads has it.
    for (let n = 0; n < 10; n += 1) await call(sample, 'GET', '/');
    replies.push(send('c'));
    ends.get('a')!();
    await beginning('a', 'b', 'c');
    for (const name of ['b', 'c']) ends.get(name)!();
    expect(await statuses(replies)).to.deep.equal([201, 201, 201]);
  });
});
