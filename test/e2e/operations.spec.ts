import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  got,
  made,
  NOBODY,
  openBook,
  posted,
  rowOf,
  transfer,
  type Account,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('operations', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let operations = '';
  let transactions: Transaction[];
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@alice', '@bob'], funds: { '@alice': '500' } });
    const alice = await got<Account>(client, `${book.at}/accounts/alias/@alice`);
    operations = `${book.at}/accounts/${alice.id}/operations`;
    transactions = [
      await posted(client, book.at, { ...transfer('@alice', '@bob', '1'), description: 'One' }),
      await posted(client, book.at, transfer('@bob', '@alice', '0.5')),
      await posted(client, book.at, transfer('@alice', '@bob', '2')),
    ];
  });

  const list = async (query = '') =>
    (await got<List<Operation>>(client, `${operations}${query}`)).items;

  it('of an account are listed in order, each as its transaction shows it', async () => {
    const items = await list();
    expect(items.map(rowOf)).to.deep.equal([
      'CREDIT credit @alice 500 0/0 v0 → 500/0 v1',
      'DEBIT debit @alice 1 500/0 v1 → 499/0 v2',
      'CREDIT credit @alice 0.5 499/0 v2 → 499.5/0 v3',
      'DEBIT debit @alice 2 499.5/0 v3 → 497.5/0 v4',
    ]);
    const [, own] = items;
    expect(own).to.deep.equal(transactions[0]?.operations[0]);
    expect(own).to.include({ description: 'One', transactionId: transactions[0]?.id });
    expect((await list('?sort_order=desc')).map(rowOf)).to.deep.equal(
      items.map(rowOf).toReversed(),
    );
  });

  it('are read one by one', async () => {
    const [own] = transactions[2]?.operations ?? [];
    const path = `${operations}/${own?.id ?? ''}`;
    expect(await got(client, path)).to.deep.equal(own);
  });

  it('and their transactions take the words they show, without effect', async () => {
    for (const { id, operations: parts } of transactions) {
      const path = `${book.at}/transactions/${id}`;
      const before = await got<Transaction>(client, path);
      for (const part of ['', `/operations/${parts[0]?.id ?? ''}`]) {
        const answer = await client.patch(path + part, { description: before.description });
        expect(answer.status, answer.text).to.equal(200);
        expect(await got(client, path)).to.deep.equal(before);
      }
    }
  });

  it('are paged by cursor', async () => {
    const first = await got<List<Operation>>(client, `${operations}?limit=3`);
    expect(first).to.have.all.keys('items', 'limit', 'next_cursor');
    const path = `${operations}?limit=3&cursor=${first.next_cursor ?? ''}`;
    const second = await got<List<Operation>>(client, path);
    expect(second).to.have.all.keys('items', 'limit', 'prev_cursor');
    expect([...first.items, ...second.items]).to.deep.equal(await list());
  });

  it('go on from one that an older cursor names, wherever its step stands', async () => {
    const hold = { ...transfer('@alice', '@bob', '3'), pending: true };
    const { id } = await posted(client, book.at, hold);
    await posted(client, book.at, transfer('@alice', '@bob', '4'));
    await made(client, `${book.at}/transactions/${id}/commit`, {});
    await posted(client, book.at, transfer('@alice', '@bob', '5'));
    const items = await list();
    for (const [n, item] of items.entries()) {
      const after = encodeURIComponent(btoa(JSON.stringify({ id: item.id, points_next: true })));
      expect(await list(`?cursor=${after}`), rowOf(item)).to.deep.equal(items.slice(n + 1));
    }
  });

  it('are filtered by type, direction and date', async () => {
    expect(await list('?type=debit')).to.have.lengthOf(2);
    expect(await list('?type=CREDIT&direction=credit')).to.have.lengthOf(2);
    expect(await list('?direction=debit')).to.have.lengthOf(2);
    expect(await list('?type=unheard')).to.deep.equal([]);
    expect(await list('?start_date=2001-01-01&end_date=2001-01-01')).to.deep.equal([]);
    const wrong = await client.get(`${operations}?direction=up`);
    expectProblem(wrong, 400, 'LDG-0082', { locations: ['query.direction'] });
    const route = await client.get(`${operations}?route_id=x`);
    expectProblem(route, 400, 'LDG-0082', { locations: ['query.route_id'] });
  });

  it('of an unknown account are an empty list', async () => {
    const path = `${book.at}/accounts/${NOBODY}/operations`;
    expect(await got(client, path)).to.deep.equal({ items: [], limit: 10 });
  });

  it('belong to the account of the path', async () => {
    const [, bobs] = transactions[0]?.operations ?? [];
    const others = await client.get(`${operations}/${bobs?.id ?? ''}`);
    expectProblem(others, 404, 'LDG-0007', { entityType: 'Operation' });
    for (const id of [NOBODY, transactions[0]?.id ?? '', bobs?.id.replace(/.$/, 'f') ?? '']) {
      const answer = await client.get(`${operations}/${id}`);
      expectProblem(answer, 404, 'LDG-0007', { entityType: 'Operation' });
    }
    const malformed = await client.get(`${operations}/1`);
    expectProblem(malformed, 400, 'LDG-0065', { locations: ['path.operation_id'] });
  });
});
