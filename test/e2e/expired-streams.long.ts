import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authorized } from '#test/support/authorized.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { openEventStream } from '#test/support/event-stream.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';
import { createAccount, made, openBook, transfer, type Book } from './books.ts';

const LEEWAY_S = 30;
const ALL = { permissions: ['*:*:*'] };
const pulled = (name: string) => ({ name, target: { kind: 'pull' }, filters: { types: ['*'] } });

describe('what outlives the check of its token', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let server: Server;
  const anyone = clientOf(() => server, { impatient: true });
  let client: Client;
  let book: Book;
  const env = () => ({
    ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
    ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' },
  });
  before(async () => {
    provider = await startIdentityProvider();
    server = await startServer({ env: { ...env(), AUTHZ_MODE: 'claims' } });
    client = authorized(anyone, await provider.sign(ALL));
    book = await openBook(client, { accounts: ['@bob'] });
  });
  after(async () => {
    anyone.close();
    await stopServer(server);
    removeFolder(server.dataDir);
    await provider.stop();
  });

  /** The token is refused after so many seconds, which the leeway for clocks does not lengthen. */
  const tokenFor = (seconds: number) =>
    provider.sign({ ...ALL, exp: Math.floor(Date.now() / 1000) - LEEWAY_S + seconds });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('is a stream of events, which ends', async () => {
    const { id } = await made<{ id: string }>(client, '/v1/subscriptions', pulled('Stream'));
    const path = `/v1/subscriptions/${id}/stream`;
    const headers = bearer(await tokenFor(4));
    const live = await openEventStream(server, path, { headers });
    const lasting = await openEventStream(server, path, { headers: bearer(await tokenFor(600)) });
    await createAccount(client, book.at, { alias: '@before' });
    await live.have(1);
    await until(live.hasEnded, 15_000, 'the end of the stream');
    expect(live.response.complete).to.equal(true);
    expect(lasting.hasEnded()).to.equal(false);
    const again = await openEventStream(server, path, { headers });
    expect(again.response.statusCode).to.equal(401);
    again.close();
    lasting.close();
  });

  it('is a body of lines, of which no more are taken', async () => {
    const path = `${book.at}/transactions/batch`;
    const headers = {
      ...bearer(await tokenFor(3)),
      'Content-Type': 'application/x-ndjson',
      Connection: 'close',
    };
    const call = request({ host: '127.0.0.1', port: server.port, method: 'POST', path, headers });
    call.on('error', () => undefined); // The server closes the connection while lines still come.
    const line = JSON.stringify(transfer('@external/BRL', '@bob', '1')) + '\n';
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      call.write(line);
    }, 200);
    try {
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      expect(response.statusCode).to.equal(200);
      const text = (
        await Array.fromAsync(response.setEncoding('utf8') as AsyncIterable<string>)
      ).join('');
      const results = text.trimEnd().split('\n').length;
      const events = await eventCount(server);
      const sentThen = sent;
      expect(results).to.be.above(10).and.at.most(sentThen);
      await until(() => sent > sentThen + 10, 10_000, 'further lines');
      expect(await eventCount(server)).to.equal(events);
      await until(() => call.destroyed, 45_000, 'the end of the connection');
    } finally {
      clearInterval(timer);
      call.destroy();
    }
  });

  it('is a pull that waits, which leases nothing afterwards', async () => {
    const { id } = await made<{ id: string }>(client, '/v1/subscriptions', pulled('Pull'));
    const path = `/v1/subscriptions/${id}/messages/pull`;
    const fromMs = performance.now();
    const none = await anyone.post(path, { waitMs: 20_000 }, bearer(await tokenFor(3)));
    expect(none.json()).to.deep.equal({ messages: [] });
    expect(performance.now() - fromMs).to.be.below(6000);
    await createAccount(client, book.at, { alias: '@after' });
    const { messages } = (await client.post(path, { waitMs: 20_000 })).json() as {
      messages: Readonly<{ attempt: number }>[];
    };
    expect(messages.map(({ attempt }) => attempt)).to.include(1);
  });

  it('is a stream whose caller loses the permission, which ends', async () => {
    let isAllowed = true;
    const management = createServer((_, response) => {
      response.end(JSON.stringify({ authorized: isAllowed }));
    }).listen(0, '127.0.0.1');
    await once(management, 'listening');
    const { port } = management.address() as AddressInfo;
    const PLUGIN_AUTH_ADDRESS = `http://127.0.0.1:${port}`;
    const remote = await startServer({ env: { ...env(), PLUGIN_AUTH_ADDRESS } });
    const token = await provider.sign();
    const other = clientOf(() => remote, { impatient: true });
    try {
      const { id } = await made<{ id: string }>(
        authorized(other, token),
        '/v1/subscriptions',
        pulled('Stream'),
      );
      const headers = bearer(token);
      const live = await openEventStream(remote, `/v1/subscriptions/${id}/stream`, { headers });
      await until(() => live.comments() === 1, 5000, 'the first comment');
      isAllowed = false;
      await until(live.hasEnded, 10_000, 'the end of the stream');
    } finally {
      other.close();
      management.close();
      management.closeAllConnections();
      await stopServer(remote);
      removeFolder(remote.dataDir);
    }
  });
});
