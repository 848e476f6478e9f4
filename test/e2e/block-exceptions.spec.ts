import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  made,
  NOBODY,
  openBook,
  posted,
  standing,
  transfer,
  UTC_TIME,
  UUID_V7,
  type Book,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

type Granted = Readonly<{
  exceptions: readonly Readonly<
    Record<'accountBlockExceptionId' | 'accountAlias' | 'amount' | 'expiresAt', string>
  >[];
}>;

describe('exceptions from a block', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let second = '';
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '10' } });
    second = book.at.replace('/v1/', '/v2/');
  });
  const ask = (exceptions: unknown): Promise<Answer> =>
    client.post(`${second}/accounts/block-exceptions`, { exceptions });
  const granted = async (accountAlias: string, amount: string): Promise<string> => {
    const answer = await ask([{ accountAlias, amount }]);
    expect(answer.status, answer.text).to.equal(201);
    return (answer.json() as Granted).exceptions[0]!.accountBlockExceptionId;
  };
  const block = async (alias: string): Promise<void> => {
    const path = `${book.at}/accounts/alias/${alias}`;
    const { id } = (await client.get(path)).json() as { id: string };
    expect((await client.post(`${book.at}/accounts/${id}/block`)).status).to.equal(200);
  };
  const step = (id: string, verb: string, body?: object): Promise<Answer> =>
    client.post(`${second}/transactions/${id}/${verb}`, body);

  it('are granted in the order asked, from one instant on', async () => {
    const before = await eventCount(server());
    const answer = await ask([
      { accountAlias: '@bob', amount: '1e1', ttl: 1 },
      { accountAlias: '@alice', amount: 0.5 },
      { accountAlias: '@alice', amount: '+07.50', ttl: 86_400 },
    ]);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers).to.have.property('x-consistency-token');
    expect(await eventCount(server())).to.equal(before + 1);
    const { exceptions } = answer.json() as Granted;
    const lives = exceptions.map(({ accountBlockExceptionId, expiresAt, ...rest }) => {
      expect(accountBlockExceptionId).to.match(UUID_V7);
      expect(expiresAt).to.match(UTC_TIME);
      return { ...rest, until: Date.parse(expiresAt) };
    });
    const first = lives[0]!.until;
    expect(lives).to.deep.equal([
      { accountAlias: '@bob', amount: '10', until: first },
      { accountAlias: '@alice', amount: '0.5', until: first + 299_000 },
      { accountAlias: '@alice', amount: '7.5', until: first + 86_399_000 },
    ]);
  });

  const good = { accountAlias: '@alice', amount: '1' };
  const refused: readonly [
    what: string,
    exceptions: unknown,
    status: number,
    code: string,
    locations: readonly string[],
  ][] = [
    ['no list', undefined, 400, 'LDG-0503', ['exceptions']],
    ['an empty list', [], 400, 'LDG-0503', ['exceptions']],
    ['no list but null', null, 400, 'LDG-0053', ['exceptions']],
    ['101 of them', Array.from({ length: 101 }, () => good), 400, 'LDG-0504', ['exceptions']],
    ['no alias', [{ amount: '1' }], 400, 'LDG-0009', ['exceptions[0].accountAlias']],
    ['no amount', [good, { accountAlias: '@bob' }], 400, 'LDG-0009', ['exceptions[1].amount']],
    [
      'an amount of nothing',
      [{ ...good, amount: '0.0' }],
      400,
      'LDG-0505',
      ['exceptions[0].amount'],
    ],
    [
      'amounts below zero',
      [{ ...good, amount: -1 }, good, { ...good, amount: '-2' }],
      400,
      'LDG-0505',
      ['exceptions[0].amount', 'exceptions[2].amount'],
    ],
    [
      'an amount that is none',
      [{ ...good, amount: 'one' }],
      400,
      'LDG-0094',
      ['exceptions[0].amount'],
    ],
    ['a ttl of nothing', [{ ...good, ttl: 0 }], 400, 'LDG-0506', ['exceptions[0].ttl']],
    ['more than a day', [good, { ...good, ttl: 86_401 }], 400, 'LDG-0506', ['exceptions[1].ttl']],
    ['a second and a half', [{ ...good, ttl: 1.5 }], 400, 'LDG-0094', ['exceptions[0].ttl']],
    [
      'an unknown alias',
      [good, { ...good, accountAlias: '@zoe' }],
      404,
      'LDG-0507',
      ['exceptions[1].accountAlias'],
    ],
    ['an unknown field', [{ ...good, reason: 'x' }], 400, 'LDG-0053', ['exceptions[0].reason']],
  ];
  for (const [what, exceptions, status, code, locations] of refused) {
    it(`are refused with ${what}, and none is granted`, async () => {
      const before = await eventCount(server());
      expectProblem(await ask(exceptions), status, code, { locations });
      expect(await eventCount(server())).to.equal(before);
    });
  }

  it('are no operation of v1, and cannot be read', async () => {
    const path = 'accounts/block-exceptions';
    expectProblem(await client.post(`${book.at}/${path}`, {}), 404, 'LDG-0484');
    const read = await client.get(`${second}/${path}`);
    expectProblem(read, 405, 'LDG-0485');
  });

  it('let one direct debit pass, and its key answers it again', async () => {
    const to = inScope({ organizationId: book.org, ledgerId: book.ledger });
    await block('@alice');
    const accountBlockExceptionId = await granted('@alice', '2.50');
    const direct = (value: string, more: object = {}, headers = {}): Promise<Answer> =>
      client.post(
        '/v2/transactions/direct',
        { ...to.direct('@alice', '@bob', value), ...more },
        headers,
      );
    expectProblem(await direct('2.5'), 422, 'LDG-0502');
    expectProblem(await direct('2.51', { accountBlockExceptionId }), 422, 'LDG-0508', {
      locations: ['accountBlockExceptionId'],
    });
    const key = { 'X-Idempotency': 'once' };
    const first = await direct('2.5', { accountBlockExceptionId }, key);
    expect(first.status, first.text).to.equal(201);
    const again = await direct('2.5', { accountBlockExceptionId }, key);
    expect(again.text).to.equal(first.text);
    expectProblem(await direct('2.5', { accountBlockExceptionId }), 422, 'LDG-0508');
    expect(await standing(client, book.at, '@alice')).to.equal('7.5/0 v2');
  });

  it('let one of a batch pass, in its order, or nothing of it', async () => {
    const { direct } = inScope({ organizationId: book.org, ledgerId: book.ledger });
    await block('@alice');
    const accountBlockExceptionId = await granted('@alice', '1');
    const excepted = { ...direct('@alice', '@bob', '1'), accountBlockExceptionId };
    const batch = (...items: readonly object[]): Promise<Answer> =>
      client.post('/v2/transactions/batch', {
        transactions: items.map((item, n) => ({ action: 'direct', order: n + 1, ...item })),
      });
    const twice = await batch(excepted, excepted);
    expectProblem(twice, 422, 'LDG-0508', {
      locations: ['transactions[1].accountBlockExceptionId'],
    });
    expect((await batch(excepted, direct('@bob', '@external/BRL', '1'))).status).to.equal(201);
    expectProblem(await batch(excepted), 422, 'LDG-0508');
  });

  it('let one commit pass, once', async () => {
    const hold = (value: string) =>
      posted(client, book.at, transfer('@alice', '@bob', value, 'BRL', { pending: true }));
    const [one, same, other] = [await hold('2'), await hold('2'), await hold('3')];
    await block('@alice');
    const accountBlockExceptionId = await granted('@alice', '2');
    expectProblem(await step(one.id, 'commit'), 422, 'LDG-0502');
    expectProblem(await step(one.id, 'commit', {}), 422, 'LDG-0502');
    for (const [id, body] of [
      [other.id, { accountBlockExceptionId }],
      [one.id, { accountBlockExceptionId: NOBODY }],
    ] as const) {
      expectProblem(await step(id, 'commit', body), 422, 'LDG-0508', {
        locations: ['accountBlockExceptionId'],
      });
    }
    const done = await step(one.id, 'commit', { accountBlockExceptionId });
    expect(done.status, done.text).to.equal(201);
    const again = await step(same.id, 'commit', { accountBlockExceptionId });
    expectProblem(again, 422, 'LDG-0508');
    expect(await standing(client, book.at, '@bob')).to.equal('2/0 v1');
    expect((await step(same.id, 'cancel')).status).to.equal(201);
  });

  it('let one revert pass, and read back as any other', async () => {
    const { id } = await posted(client, book.at, transfer('@alice', '@bob', '4'));
    await block('@bob');
    const accountBlockExceptionId = await granted('@bob', '4');
    const late = await step(id, 'revert', { accountBlockExceptionId: NOBODY });
    expectProblem(late, 422, 'LDG-0508');
    const reversal = await made<Transaction>(client, `${second}/transactions/${id}/revert`, {
      accountBlockExceptionId,
    });
    expect(reversal).to.include({ parentTransactionId: id, amount: '4' });
    expect(reversal).to.not.have.property('accountBlockExceptionId');
    const read = (await client.get(`${second}/transactions/${reversal.id}`)).json() as Transaction;
    expect(read.operations).to.deep.equal(reversal.operations);
    expect(await standing(client, book.at, '@bob')).to.equal('0/0 v2');
  });

  it('of v1 are ignored: its commit takes no body', async () => {
    const pending = transfer('@alice', '@bob', '2', 'BRL', { pending: true });
    const { id } = await posted(client, book.at, pending);
    await block('@alice');
    const accountBlockExceptionId = await granted('@alice', '2');
    const path = `${book.at}/transactions/${id}/commit`;
    expectProblem(await client.post(path, { accountBlockExceptionId }), 422, 'LDG-0502');
  });
});
