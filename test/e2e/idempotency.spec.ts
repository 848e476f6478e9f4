import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import {
  eventCount,
  removeFolder,
  serverOfBlock,
  sharedServer,
  startServer,
  stopServer,
  until,
} from '#test/support/server.ts';
import {
  createAccount,
  openBook,
  posted,
  standing,
  transfer,
  type Book,
  type Transaction,
} from './books.ts';
import { keyStorm } from './key-storm.ts';
import { expectProblem } from './problems.ts';

describe('idempotency', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  beforeEach(async () => {
    book = await openBook(client, { funds: { '@alice': '500' }, accounts: ['@bob'] });
  });

  const post = (body: unknown, headers: Record<string, string>) =>
    client.post(`${book.at}/transactions/json`, body, headers);
  const one = (value = '1') => transfer('@alice', '@bob', value);
  const replayed = ({ headers }: Answer) => headers['x-idempotency-replayed'];

  function expectSame(first: Answer, second: Answer): void {
    expect(first.status, first.text).to.equal(201);
    expect(replayed(first)).to.equal('false');
    expect(second.status, second.text).to.equal(201);
    expect(replayed(second)).to.equal('true');
    expect(second.text).to.equal(first.text);
  }

  it('answers a repeat with the bytes of the first answer, and moves nothing', async () => {
    const first = await post(one(), { 'X-Idempotency': 'k' });
    await posted(client, book.at, one('7'));
    const count = await eventCount(server());
    expectSame(first, await post(one(), { 'X-Idempotency': 'k' }));
    expect(await eventCount(server())).to.equal(count);
    expect((first.json() as Transaction).status.code).to.equal('CREATED');
    expect(await standing(client, book.at, '@bob')).to.equal('8/0 v2');
  });

  it('sees the same request whatever its white space and order of members', async () => {
    const first = await post(one(), { 'X-Idempotency': 'k' });
    const { send } = one();
    const turned = { send: Object.fromEntries(Object.entries(send).toReversed()) };
    expectSame(first, await post(JSON.stringify(turned, null, 2), { 'X-Idempotency': 'k' }));
  });

  it('sees the same amount in a number and in a text', async () => {
    const text = JSON.stringify(one());
    const first = await post(text, { 'X-Idempotency': 'k' });
    expectSame(first, await post(text.replaceAll('"1"', '1'), { 'X-Idempotency': 'k' }));
  });

  it('refuses a key under another body', async () => {
    await post(one(), { 'X-Idempotency': 'k' });
    const count = await eventCount(server());
    const other = await post(one('2'), { 'X-Idempotency': 'k' });
    expectProblem(other, 409, 'LDG-0084', { entityType: 'Transaction' });
    expect(await eventCount(server())).to.equal(count);
  });

  it('releases the key of a request that failed', async () => {
    const poor = await post(one('501'), { 'X-Idempotency': 'k' });
    expectProblem(poor, 422, 'LDG-0018');
    expectProblem(await post(one('501'), { 'X-Idempotency': 'k' }), 422, 'LDG-0018');
    await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
    expectSame(
      await post(one('501'), { 'X-Idempotency': 'k' }),
      await post(one('501'), { 'X-Idempotency': 'k' }),
    );
  });

  it('releases it for another body too', async () => {
    expectProblem(await post(one('501'), { 'X-Idempotency': 'k' }), 422, 'LDG-0018');
    const first = await post(one('1'), { 'X-Idempotency': 'k' });
    expectSame(first, await post(one('1'), { 'X-Idempotency': 'k' }));
  });

  it('keeps the keys of ledgers apart', async () => {
    const first = await post(one(), { 'X-Idempotency': 'k' });
    const other = await openBook(client, { funds: { '@alice': '500' }, accounts: ['@bob'] });
    const path = `${other.at}/transactions/json`;
    const second = await client.post(path, one(), { 'X-Idempotency': 'k' });
    expect(replayed(second)).to.equal('false');
    expect((second.json() as Transaction).id).not.to.equal((first.json() as Transaction).id);
  });

  it('takes Idempotency-Key when X-Idempotency is absent or empty', async () => {
    const first = await post(one(), { 'Idempotency-Key': 'k' });
    expectSame(first, await post(one(), { 'X-Idempotency': 'k' }));
    expectSame(first, await post(one(), { 'X-Idempotency': '', 'Idempotency-Key': 'k' }));
    const own = await post(one(), { 'X-Idempotency': 'own', 'Idempotency-Key': 'k' });
    expect(replayed(own)).to.equal('false');
  });

  it('makes two transactions of two equal requests without a key, or with an empty one', async () => {
    for (const headers of [{}, { 'X-Idempotency': '' }]) {
      const ids = [await post(one(), headers), await post(one(), headers)].map((answer) => {
        expect(replayed(answer)).to.equal('false');
        return (answer.json() as Transaction).id;
      });
      expect(new Set(ids)).to.have.lengthOf(2);
    }
  });

  it('takes 1024 visible ASCII characters as a key, and no more and no others', async () => {
    expect((await post(one(), { 'X-Idempotency': '~'.repeat(1024) })).status).to.equal(201);
    const count = await eventCount(server());
    for (const [name, key] of [
      ['X-Idempotency', 'k'.repeat(1025)],
      ['X-Idempotency', 'a b'],
      ['X-Idempotency', 'a\tb'],
      ['X-Idempotency', 'é'],
      ['Idempotency-Key', 'a b'],
    ] as const) {
      const answer = await post(one(), { [name]: key });
      expectProblem(answer, 400, 'LDG-0047', { locations: [`header.${name}`], entityType: null });
    }
    expect(await eventCount(server())).to.equal(count);
  });

  it('forgets a key after its X-TTL', async () => {
    let key = '';
    let first: Answer;
    let repeat: Answer;
    let fromMs: number;
    do {
      key += 'k';
      fromMs = performance.now();
      first = await post(one(), { 'X-Idempotency': key, 'X-TTL': '1' });
      repeat = await post(one(), { 'X-Idempotency': key, 'X-TTL': '1' });
    } while (performance.now() - fromMs > 900 && key.length < 20); // The machine let its second pass.
    expectSame(first, repeat);
    let again = first;
    await until(
      async () => {
        again = await post(one('2'), { 'X-Idempotency': key });
        return again.status !== 409;
      },
      30_000,
      'the key to be free',
    );
    expect(again.status, again.text).to.equal(201);
    expect(replayed(again)).to.equal('false');
    expectSame(again, await post(one('2'), { 'X-Idempotency': key }));
  });

  it('keeps a key for ever when its X-TTL is not a positive integer', async () => {
    for (const ttl of ['0', '-1', '1.5', 'soon', '']) {
      const headers = { 'X-Idempotency': `k${ttl}`, 'X-TTL': ttl };
      expectSame(await post(one(), headers), await post(one(), headers));
    }
  });

  it('keeps a key as long as its X-TTL says, however many years that is', async () => {
    for (const ttl of ['86400', '250000000000', '300000000000', '9'.repeat(14), '9'.repeat(40)]) {
      const headers = { 'X-Idempotency': `k${ttl}`, 'X-TTL': ttl };
      expectSame(await post(one(), headers), await post(one(), headers));
    }
  });

  it('lets repeats that come while the first is in flight wait for it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => post(one(), { 'X-Idempotency': 'k' })),
    );
    expect(answers.filter((answer) => replayed(answer) === 'false')).to.have.lengthOf(1);
    expect(new Set(answers.map(({ text }) => text))).to.have.lengthOf(1);
    expect(await standing(client, book.at, '@bob')).to.equal('1/0 v1');
  });

  it('takes no key for records: uniqueness protects them', async () => {
    const body = { assetCode: 'BRL', type: 'deposit', alias: '@c' };
    const headers = { 'X-Idempotency': 'k' };
    expect((await client.post(`${book.at}/accounts`, body, headers)).status).to.equal(201);
    expectProblem(await client.post(`${book.at}/accounts`, body, headers), 409, 'LDG-0020');
    await createAccount(client, book.at, { alias: '@d' });
  });

  it('gives one transaction and the same bytes per key when 64 clients send each three times', async function () {
    this.timeout(60_000); // The whole 64 × 2,000 is part of the crash suite.
    await keyStorm(server(), book, { clients: 64, keysPerClient: 10 });
  });

  it('survives a restart, and so do the bytes', async function () {
    this.timeout(60_000);
    const own = await startServer();
    const here = clientOf(() => own);
    const at = await openBook(here, { funds: { '@alice': '5' }, accounts: ['@bob'] });
    const path = `${at.at}/transactions/json`;
    const first = await here.post(path, one(), { 'X-Idempotency': 'k' });
    here.close();
    expect(await stopServer(own)).to.equal(0);

    const next = await startServer({ dataDir: own.dataDir });
    const there = clientOf(() => next);
    try {
      expectSame(first, await there.post(path, one(), { 'X-Idempotency': 'k' }));
      expectProblem(await there.post(path, one('2'), { 'X-Idempotency': 'k' }), 409, 'LDG-0084');
    } finally {
      there.close();
      await stopServer(next);
      removeFolder(next.dataDir);
    }
  });

  describe('with IDEMPOTENCY_BODY_HASH_SECONDS', () => {
    const hashing = serverOfBlock({ env: { IDEMPOTENCY_BODY_HASH_SECONDS: '300' } });
    const there = clientOf(hashing);
    after(() => there.close());

    it('makes one transaction of equal requests without a key', async () => {
      const at = await openBook(there, { funds: { '@alice': '5' }, accounts: ['@bob'] });
      const path = `${at.at}/transactions/json`;
      const first = await there.post(path, one());
      expectSame(first, await there.post(path, one()));
      const described = await there.post(path, { ...one(), description: 'Another' });
      expect(replayed(described)).to.equal('false');
    });
  });
});
