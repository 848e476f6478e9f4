import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  got,
  NOBODY,
  openBook,
  posted,
  transfer,
  UTC_TIME,
  UUID,
  type Account,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('balances', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  beforeEach(async () => {
    book = await openBook(client);
  });

  const list = (query = '') => got<List<Balance>>(client, `${book.at}/balances${query}`);
  const of = async (alias: string) =>
    (await got<List<Balance>>(client, `${book.at}/accounts/alias/${alias}/balances`)).items;

  it('are born empty with their account', async () => {
    const account = await createAccount(client, book.at, { alias: '@alice', type: 'Savings' });
    const [balance] = await of('@alice');
    const { id, createdAt, updatedAt, ...rest } = balance ?? ({} as Balance);
    expect(id).to.match(UUID);
    expect(createdAt).to.equal(account.createdAt).and.match(UTC_TIME);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      accountId: account.id,
      alias: '@alice',
      key: 'default',
      assetCode: 'BRL',
      available: '0',
      onHold: '0',
      scale: 1,
      version: 0,
      accountType: 'savings',
      allowSending: true,
      allowReceiving: true,
      direction: 'credit',
      overdraftUsed: '0',
      position: { available: '0', onHold: '0', overdraftLimitAvailable: '0' },
      deletedAt: null,
    });
  });

  it('follow what transactions move, on both sides', async () => {
    const account = await createAccount(client, book.at, { alias: '@alice' });
    const transaction = await posted(
      client,
      book.at,
      transfer('@external/BRL', '@alice', '90.030'),
    );
    const [own] = await of('@alice');
    expect(own).to.deep.include({
      accountId: account.id,
      available: '90.03',
      version: 1,
      updatedAt: transaction.updatedAt,
      position: { available: '90.03', onHold: '0', overdraftLimitAvailable: '0' },
    });
    const [outside] = await of('%40external%2FBRL');
    expect(outside).to.include({ available: '90.03', version: 1, direction: 'debit' });
  });

  it('read the same by id, by account, by alias, of the outside and in the list', async () => {
    const account = await createAccount(client, book.at, { alias: '@alice' });
    await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
    const { items } = await list();
    const [outside, own] = items;
    expect(items.map(({ alias }) => alias)).to.deep.equal(['@external/BRL', '@alice']);
    expect(await of('@alice')).to.deep.equal([own]);
    const byAccount = await got(client, `${book.at}/accounts/${account.id}/balances`);
    expect(byAccount).to.deep.equal({ items: [own], limit: 10 });
    const external = await got(client, `${book.at}/accounts/external/BRL/balances`);
    expect(external).to.deep.equal({ items: [outside], limit: 10 });
    expect(await got(client, `${book.at}/balances/${own?.id ?? ''}`)).to.deep.equal(own);
  });

  it('of an account that does not exist are an empty list', async () => {
    for (const path of [NOBODY, 'alias/@nobody', 'external/EUR']) {
      const empty = await got(client, `${book.at}/accounts/${path}/balances`);
      expect(empty).to.deep.equal({ items: [], limit: 10 });
    }
  });

  it('of an account take a page as well as a cursor', async () => {
    const account = await createAccount(client, book.at, { alias: '@alice' });
    const path = `${book.at}/accounts/${account.id}/balances`;
    const first = await got<List<Balance>>(client, `${path}?page=1&limit=1`);
    expect(first).to.include({ page: 1, limit: 1 });
    expect(first.items).to.have.lengthOf(1);
    const second = await got<List<Balance>>(client, `${path}?page=2&limit=1`);
    expect(second).to.deep.include({ page: 2, items: [] });
  });

  it('are listed by cursor, in order of creation', async () => {
    for (const alias of ['@c', '@b', '@a']) await createAccount(client, book.at, { alias });
    const first = await list('?limit=3');
    expect(first.items.map(({ alias }) => alias)).to.deep.equal(['@external/BRL', '@c', '@b']);
    expect(first).to.have.all.keys('items', 'limit', 'next_cursor');
    const second = await list(`?limit=3&cursor=${first.next_cursor ?? ''}`);
    expect(second.items.map(({ alias }) => alias)).to.deep.equal(['@a']);
    expect(second).to.have.all.keys('items', 'limit', 'prev_cursor');
    const back = await list(`?limit=3&cursor=${second.prev_cursor ?? ''}`);
    expect(back).to.deep.equal(first);
    const down = await list('?sort_order=desc&limit=1');
    expect(down.items.map(({ alias }) => alias)).to.deep.equal(['@a']);
  });

  it('are filtered by date, both ends together', async () => {
    const today = (await list()).items[0]?.createdAt.slice(0, 10) ?? '';
    expect((await list(`?start_date=${today}&end_date=${today}`)).items).to.have.lengthOf(1);
    expect((await list('?start_date=2001-01-01&end_date=2001-12-31')).items).to.deep.equal([]);
    const alone = await client.get(`${book.at}/balances?start_date=${today}`);
    expectProblem(alone, 400, 'LDG-0083', { locations: ['query.end_date'] });
  });

  it('are looked up in their own ledger', async () => {
    const [outside] = (await list()).items;
    const other = await openBook(client);
    const elsewhere = await client.get(`${other.at}/balances/${outside?.id ?? ''}`);
    expectProblem(elsewhere, 404, 'LDG-0007', { entityType: 'Balance' });
    const unknown = await client.get(`${book.at}/balances/${NOBODY}`);
    expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Balance' });
    const malformed = await client.get(`${book.at}/balances/1`);
    expectProblem(malformed, 400, 'LDG-0065', { locations: ['path.balance_id'] });
    const account = await got<Account>(client, `${book.at}/accounts/external/BRL`);
    expectProblem(await client.get(`${book.at}/balances/${account.id}`), 404, 'LDG-0007');
  });

  describe('update', () => {
    it('stops one side of the very next transaction, and leaves the amounts', async () => {
      await createAccount(client, book.at, { alias: '@alice' });
      await posted(client, book.at, transfer('@external/BRL', '@alice', '5'));
      const [before] = await of('@alice');
      const path = `${book.at}/balances/${before?.id}`;
      const answer = await client.patch(path, { allowSending: false });
      expect(answer.status, answer.text).to.equal(200);
      const { updatedAt, ...after } = answer.json() as Balance;
      expect(updatedAt > before!.updatedAt).to.equal(true);
      const expected = { ...before, allowSending: false, updatedAt };
      expect({ ...after, updatedAt }).to.deep.equal(expected);
      expect((await client.get(path)).text).to.equal(answer.text);

      const pay = (from: string, to: string) =>
        client.post(`${book.at}/transactions/json`, transfer(from, to, '1'));
      expectProblem(await pay('@alice', '@external/BRL'), 422, 'LDG-0024');
      expect((await pay('@external/BRL', '@alice')).status).to.equal(201);
      expect(await got<Balance>(client, path)).to.include({ available: '6', allowSending: false });
    });

    it('without effect answers what is there, with the moment of the last transaction', async () => {
      await createAccount(client, book.at, { alias: '@alice' });
      await posted(client, book.at, transfer('@external/BRL', '@alice', '5'));
      const [before] = await of('@alice');
      const path = `${book.at}/balances/${before?.id}`;
      for (const changes of [{}, { allowSending: true, allowReceiving: null }]) {
        const answer = await client.patch(path, changes);
        expect(answer.status).to.equal(200);
        expect(answer.json()).to.deep.equal(before);
      }
      for (const name of ['overdraftUsed', 'available', 'key']) {
        const answer = await client.patch(path, { [name]: {} });
        expectProblem(answer, 400, 'LDG-0053', { locations: [name] });
      }
    });
  });

  it('of external accounts are deleted with their asset only', async () => {
    const [outside] = (await list()).items;
    const answer = await client.delete(`${book.at}/balances/${outside?.id}`);
    expectProblem(answer, 409, 'LDG-0093', { entityType: 'Balance' });
    const unknown = await client.delete(`${book.at}/balances/${NOBODY}`);
    expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Balance' });
  });
});
