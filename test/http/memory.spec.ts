import { expect } from 'chai';
import { refuse } from '#src/events/ledger/refusals.ts';
import { linesOf, type BodyLine } from '#src/http/lines.ts';
import { MEMORY_LIMIT_MIN, MemoryBudget } from '#src/http/memory-budget.ts';
import type { Route } from '#src/http/route.ts';
import { rawConnection } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import { accountsPath, call, sampleRoutes, startSample, type Sample } from './sample.ts';

const KIB = 1024;

describe('the memory budget', () => {
  it('sets a part aside for small bodies', () => {
    const memory = new MemoryBudget(1000 * KIB);
    expect(memory.takeArriving(400 * KIB, 400 * KIB)).to.equal(true);
    expect(memory.takeArriving(KIB, 401 * KIB)).to.equal(false);
    expect(memory.takeArriving(KIB, KIB)).to.equal(true);
    expect(memory.takeExpansion(400 * KIB, 100 * KIB)).to.equal(false);
    expect(memory.takeExpansion(500 * KIB, 64 * KIB)).to.equal(true);
    expect(memory.isFull).to.equal(true);
    memory.release(901 * KIB);
    expect([memory.held, memory.isFull]).to.deep.equal([0, false]);
  });

  it('has room for the largest body when nothing else is held', () => {
    const memory = new MemoryBudget(MEMORY_LIMIT_MIN);
    const bytes = 8 * KIB * KIB;
    expect(memory.takeArriving(bytes, bytes)).to.equal(true);
    expect(memory.takeExpansion(memory.expansionOf(bytes), bytes)).to.equal(true);
  });
});

describe('request bodies in memory', () => {
  let sample: Sample;
  const admitted: string[] = [];
  const limit = 2000 * KIB;
  before(async () => {
    const large: Route = {
      ...sampleRoutes.find(({ operationId }) => operationId === 'createAccount')!,
      bodyLimit: 8 * KIB * KIB,
      admit: async ({ path }) => {
        const { organization_id: id } = path as Readonly<{ organization_id: string }>;
        admitted.push(id);
        if (id.endsWith('9')) throw refuse('ORGANIZATION_NOT_FOUND', 'It is not there.');
      },
    };
    const listing = sampleRoutes.find(({ operationId }) => operationId === 'listAccounts')!;
    sample = await startSample({
      routes: [large, listing],
      memoryLimitBytes: limit,
    });
  });
  after(() => sample.server.close());

  const head = (path: string, bytes: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${bytes}\r\n\r\n`;

  it('that have no room are refused with 503 and dropped, while small ones are served', async () => {
    const bytes = 600 * KIB;
    const sent = [1, 2, 3].map(() =>
      rawConnection(sample.port, head(accountsPath, bytes) + ' '.repeat(bytes - 1)),
    );
    const refused = () => sent.filter(({ received }) => received() !== '');
    await until(() => refused().length === 2, 5000, 'two refusals');
    for (const { received } of refused()) {
      expect(received())
        .to.match(/^HTTP\/1.1 503 /)
        .and.to.match(/\r\nRetry-After: 1\r\n/);
      expect(received()).to.contain('LDG-0501');
    }
    expect((await call(sample, 'POST', accountsPath, '{"name":"a"}')).status).to.equal(201);
    for (const { socket } of sent) socket.destroy();
  });

  it('cost nothing by what they only announce', async () => {
    const announced = Array.from({ length: 50 }, () =>
      rawConnection(sample.port, head(accountsPath, 8 * KIB * KIB - 1)),
    );
    const body = `{"name":"a"${' '.repeat(20 * KIB)}}`;
    expect((await call(sample, 'POST', accountsPath, body)).status).to.equal(201);
    for (const { socket } of announced) socket.destroy();
  });

  it('give back what they took, whether they end, are refused or break off', async () => {
    for (let round = 0; round < 40; round += 1) {
      const broken = rawConnection(
        sample.port,
        head(accountsPath, 500 * KIB) + ' '.repeat(300 * KIB),
      );
      await call(sample, 'POST', accountsPath, `{"name":"a"${' '.repeat(60 * KIB)}}`);
      broken.socket.destroy();
      await broken.closed;
    }
    await until(
      async () =>
        (await call(sample, 'POST', accountsPath, `{"name":"a"${' '.repeat(63 * KIB)}}`)).status ===
        201,
      2000,
      'room',
    );
  });

  it('that are large are read no further before their route admits them', async () => {
    const unknown = accountsPath.replace(/1\/ledgers/, '9/ledgers');
    const { status, json } = await call(sample, 'POST', unknown, ' '.repeat(200 * KIB));
    expect([status, json['code'], json['entityType']]).to.deep.equal([404, 'LDG-0038', 'Account']);
    admitted.length = 0;
    await call(sample, 'POST', accountsPath, `{"name":"a"${' '.repeat(66 * KIB)}}`);
    expect(admitted).to.have.length(1);
    admitted.length = 0;
    expect((await call(sample, 'POST', unknown, 'x')).status).to.equal(400); // The order of checks.
    expect(admitted).to.have.length(0);
  });

  it('are refused when they are encoded in a way that nothing here decodes', async () => {
    for (const encoding of ['gzip', 'br', 'x-unheard', 'identity, gzip']) {
      const { status, json } = await call(sample, 'POST', accountsPath, '{"name":"a"}', {
        'Content-Encoding': encoding,
      });
      expect([status, json['code']], encoding).to.deep.equal([400, 'LDG-0094']);
      expect(json).to.have.nested.property('errors[0].location', 'header.Content-Encoding');
    }
    const identity = { 'Content-Encoding': 'identity' };
    const { status } = await call(sample, 'POST', accountsPath, '{"name":"a"}', identity);
    expect(status).to.equal(201);
  });
});

describe('a line that has no room in memory', () => {
  it('is refused, and the next one is read', async () => {
    const memory = new MemoryBudget(2000);
    async function* chunks() {
      yield Buffer.from('"' + 'a'.repeat(900));
      yield Buffer.from('b'.repeat(900));
      yield Buffer.from('"\n"c"\n');
    }
    const lines: BodyLine[] = [];
    for await (const line of linesOf(chunks(), 10_000, memory)) lines.push(line);
    expect(lines[0]).to.have.property('refusal', 'UNAVAILABLE');
    expect(lines[1]).to.equal('"c"');
    expect(memory.held).to.equal(0);
  });
});
