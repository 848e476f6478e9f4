import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, serverOfBlock } from '#test/support/server.ts';
import {
  createLedger,
  got,
  openBook,
  standing,
  type Book,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

/** Contract ledger §5.4, last paragraph. */
describe('batches of version 2', () => {
  const server = serverOfBlock({ env: { TRANSACTION_BATCH_MAX_SIZE: '12' } });
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let to: ReturnType<typeof inScope>;
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob', '@carol'], funds: { '@alice': '500' } });
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
  });

  type Item = Readonly<{ order: number }> & Readonly<Record<string, unknown>>;
  const item = (order: number, from: string, into: string, amount: string, more = {}): Item => ({
    action: 'direct',
    order,
    ...to.direct(from, into, amount, more),
  });
  const send = (items: readonly unknown[], headers = {}): Promise<Answer> =>
    client.post('/v2/transactions/batch', { transactions: items }, headers);
  const shown = (answer: Answer) =>
    (answer.json() as Readonly<{ transactions: readonly Transaction[] }>).transactions;

  it('are applied and answered in their order, however they were sent', async () => {
    const answer = await send([
      item(3, '@carol', '@alice', '10', { action: 'hold', description: 'third' }),
      item(1, '@alice', '@bob', '100', { description: 'first' }),
      item(2, '@bob', '@carol', '60', { description: 'second' }),
    ]);
    expect(answer.status, answer.text).to.equal(201);
    expect(
      shown(answer).map(({ description, status }) => `${description} ${status.code}`),
    ).to.deep.equal(['first CREATED', 'second CREATED', 'third PENDING']);
    for (const one of shown(answer)) expect(one).to.include.keys('debit', 'credit');
    const { items } = await got<List<Transaction>>(client, `${book.at}/transactions`);
    const ids = items.slice(1).map(({ id }) => id);
    expect(ids).to.deep.equal(shown(answer).map(({ id }) => id));
    expect(await standing(client, book.at, '@carol')).to.equal('50/10 v2');
  });

  it('are applied whole or not at all, and say what of them was refused as it was sent', async () => {
    const before = await eventCount(server());
    const answer = await send([item(2, '@bob', '@carol', '101'), item(1, '@alice', '@bob', '100')]);
    expectProblem(answer, 422, 'LDG-0018', { locations: ['transactions[0]'] });
    const lost = await send([item(2, '@alice', '@bob', '1'), item(1, '@nobody', '@bob', '1')]);
    expectProblem(lost, 422, 'LDG-0019', { locations: ['transactions[1].debits[0].alias'] });
    expect(await eventCount(server())).to.equal(before);
    expect(await standing(client, book.at, '@alice')).to.equal('500/0 v1');
  });

  it('are answered again under their key', async () => {
    const items = [item(1, '@alice', '@bob', '1'), item(2, '@alice', '@bob', '2')];
    const key = { 'X-Idempotency': 'k' };
    const [first, second] = [await send(items, key), await send(items, key)];
    expect(second.text).to.equal(first.text);
    expect(second.headers['x-idempotency-replayed']).to.equal('true');
    expectProblem(await send(items.slice(0, 1), key), 409, 'LDG-0084');
    expect(await standing(client, book.at, '@bob')).to.equal('3/0 v2');
  });

  it('have as many items as the deployment takes', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, n) => item(n + 1, '@alice', '@bob', '1'));
    expect((await send(items(12))).status).to.equal(201);
    for (const count of [0, 13, 51]) {
      expectProblem(await send(items(count)), 400, 'LDG-0513', { locations: ['transactions'] });
    }
  });

  const misplaced: readonly [what: string, items: () => readonly Item[], location: string][] = [
    ['a gap', () => [item(1, '@alice', '@bob', '1'), item(3, '@alice', '@bob', '1')], '[1].order'],
    [
      'an order twice',
      () => [item(1, '@alice', '@bob', '1'), item(1, '@bob', '@alice', '1')],
      '[1].order',
    ],
    ['an order of 0', () => [item(0, '@alice', '@bob', '1')], '[0].order'],
    ['another action', () => [item(1, '@alice', '@bob', '1', { action: 'block' })], '[0].action'],
  ];
  for (const [what, items, location] of misplaced) {
    it(`are refused for ${what}`, async () => {
      const locations = [`transactions${location}`];
      expectProblem(await send(items()), 400, 'LDG-0516', { locations });
    });
  }

  it('stay in one ledger', async () => {
    const other = await createLedger(client, book.org);
    const there = inScope({ organizationId: book.org, ledgerId: other.id });
    const away = { action: 'direct', order: 2, ...there.direct('@alice', '@bob', '1') };
    const locations = ['transactions[1].debits[0]'];
    const answer = await send([item(1, '@alice', '@bob', '1'), away]);
    expectProblem(answer, 400, 'LDG-0516', { locations });
  });

  it('have 1000 legs, and come to 100 postings, at most', async () => {
    const wide = (order: number, credits: number) => ({
      ...item(order, '@alice', '@bob', String(credits)),
      credits: Array.from({ length: credits }, () => to.leg('@bob', '1')),
    });
    const locations = ['transactions'];
    const legs = await send([wide(1, 500), wide(2, 499)]);
    expectProblem(legs, 400, 'LDG-0514', { locations });
    expectProblem(await send([wide(1, 99), item(2, '@bob', '@carol', '1')]), 422, 'LDG-0515');
    const held = { ...wide(2, 50), action: 'hold' };
    expectProblem(await send([wide(1, 49), held]), 422, 'LDG-0515');
    expect((await send([wide(1, 49), { ...wide(2, 49), action: 'hold' }])).status).to.equal(201);
  });

  it('are smaller than 1 MiB', async () => {
    const text = JSON.stringify({ transactions: [item(1, '@alice', '@bob', '1')] });
    const padded = (size: number) => text + ' '.repeat(size - text.length);
    const limit = 1024 * 1024;
    const post = (size: number) => client.post('/v2/transactions/batch', padded(size));
    expectProblem(await post(limit), 413, 'LDG-0143');
    expect((await post(limit - 1)).status).to.equal(201);
  });
});
