import { expect } from 'chai';
import { ok } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { REFUSED_MAX } from '#src/http/connections.ts';
import { rawConnection, statusesIn, type RawConnection } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import { accountsPath, call, sampleRoutes, startSample, type Sample } from './sample.ts';

const CREATE = `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
const BODY = '{"name":"a"}';
const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const WHOLE = `${CREATE}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;

describe('connections', () => {
  it('beyond the bound are told so, and served again once others end', async () => {
    const sample = await startSample({ connectionsMax: 3 });
    const open = [1, 2, 3].map(() => rawConnection(sample.port, HEALTH));
    await until(() => open.every(({ received }) => received() !== ''), 5000, 'three connections');
    const refused = rawConnection(sample.port, WHOLE);
    expect(await refused.closed)
      .to.match(/^HTTP\/1.1 503 /)
      .and.match(/\r\nRetry-After: 1\r\n/)
      .and.contain('LDG-0501');
    expect(statusesIn(refused.received())).to.deep.equal([503]); // Its request was not read.
    for (const { socket } of open) socket.destroy();
    await until(
      () => call(sample, 'GET', '/health').then(({ status }) => status === 200),
      5000,
      'a place',
    );
    await sample.server.close();
  });

  it('that stay open after they were refused end after a while, and are bounded too', async () => {
    const sample = await startSample({ connectionsMax: 1 });
    const first = rawConnection(sample.port, HEALTH);
    await until(() => first.received() !== '', 5000, 'a connection');
    const lingering = Array.from({ length: REFUSED_MAX + 20 }, () =>
      rawConnection(sample.port, '', { allowHalfOpen: true }),
    );
    const told = () => lingering.filter(({ received }) => received().includes('LDG-0501')).length;
    await until(() => told() > 0, 5000, 'a refusal');
    const refusedAgain = async () =>
      statusesIn(await rawConnection(sample.port, WHOLE).closed)[0] === 503;
    await until(refusedAgain, 10_000, 'room for a refusal');
    expect(told()).to.be.at.most(REFUSED_MAX);
    for (const { socket } of lingering) socket.destroy();
    first.socket.destroy();
    await sample.server.close();
  });
});

describe('a connection', () => {
  let sample: Sample;
  const gates: (() => void)[] = [];
  before(async () => {
    const create = sampleRoutes.find(({ operationId }) => operationId === 'createAccount')!;
    const list = sampleRoutes.find(({ operationId }) => operationId === 'listAccounts')!;
    const waits: Route['handle'] = ({ body }) =>
      new Promise((resolve) => gates.push(() => resolve(ok(JSON.stringify(body ?? 'read')))));
    sample = await startSample({
      routes: [
        { ...create, handle: waits },
        { ...list, handle: waits },
      ],
    });
  });
  beforeEach(() => void gates.splice(0));
  after(() => sample.server.close());

  const half = (bytes: string): RawConnection => {
    const connection = rawConnection(sample.port, bytes, { allowHalfOpen: true });
    connection.socket.end();
    return connection;
  };
  const opens = async (count: number): Promise<void> => {
    await until(() => gates.length === count, 5000, 'the handlers');
    await new Promise((resolve) => setTimeout(resolve, 50)); // The end of the connection arrives.
    for (const open of gates) open();
  };

  it('that is closed on one side after a write gets its reply', async () => {
    const connection = half(WHOLE);
    await opens(1);
    expect(await connection.closed)
      .to.match(/^HTTP\/1.1 200 /)
      .and.contain('"name":"a"');
  });

  it('that is closed on one side after a read is given up', async () => {
    const connection = half(`GET ${accountsPath} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until(() => gates.length === 1, 5000, 'the handler');
    expect(await connection.closed).to.equal('');
    gates[0]?.();
  });

  it('that is closed on one side after a read and a write gets both replies', async () => {
    const connection = half(`GET ${accountsPath} HTTP/1.1\r\nHost: localhost\r\n\r\n${WHOLE}`);
    await opens(2);
    expect(statusesIn(await connection.closed)).to.deep.equal([200, 200]);
  });

  it('that ends in the middle of a body gets no more than a refusal', async () => {
    const connection = half(`${CREATE}Content-Length: 100\r\n\r\n${BODY}`);
    expect(await connection.closed).to.match(/^(HTTP\/1.1 400 |$)/);
    expect(gates).to.have.length(0);
  });

  it('with nonsense after a request gets the reply to the request first', async () => {
    const connection = rawConnection(sample.port, `${WHOLE}NONSENSE\r\n\r\n`);
    await opens(1);
    expect(statusesIn(await connection.closed)).to.deep.equal([200, 400]);
  });

  it('that asks for a tunnel gets a problem document', async () => {
    const connection = rawConnection(
      sample.port,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    );
    expect(await connection.closed)
      .to.match(/^HTTP\/1.1 405 /)
      .and.match(/\r\nAllow: GET/)
      .and.contain('LDG-0485');
  });

  it('that never sends the rest of a body that was refused is ended', async () => {
    const hasty = await startSample({ timeouts: { requestMs: 200, checkMs: 20 } });
    const head = CREATE.replace('/v1/organizations/', '/v1/organizations/no-id-');
    const connection = rawConnection(hasty.port, `${head}Content-Length: 100\r\n\r\n{`);
    expect(statusesIn(await connection.closed)).to.deep.equal([400]);
    await hasty.server.close();
  });
});
