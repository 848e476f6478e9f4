import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  exactly,
  got,
  made,
  NOBODY,
  openBook,
  posted,
  sending,
  transfer,
  type Account,
  type Balance,
  type Book,
  type Leg,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('further balances of an account', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let alice: Account;
  let path = '';
  beforeEach(async () => {
    book = await openBook(client, { funds: { '@bob': '10' } });
    alice = await createAccount(client, book.at, { alias: '@alice' });
    path = `${book.at}/accounts/${alice.id}/balances`;
    await posted(client, book.at, transfer('@external/BRL', '@alice', '100'));
  });

  const add = (body: object) => made<Balance>(client, path, body);
  const on = (key: string, value: string) => ({ ...exactly('@alice', value), balanceKey: key });
  const move = (what: string, from: Leg, to: Leg, value: string) =>
    made<Transaction>(client, `${book.at}/transactions/${what}`, sending(value, [from], [to]));
  const standings = async () =>
    (await got<List<Balance>>(client, path)).items.map(
      ({ key, available, version }) => `${key} ${available} v${version}`,
    );

  it('are born empty, under a key in lower case, and listed after the default one', async () => {
    const added = await add({ key: 'Savings', allowSending: false });
    const [first, second] = (await got<List<Balance>>(client, path)).items;
    expect(second).to.deep.equal(added);
    const { id: _, ...same } = { ...first, key: 'savings', allowSending: false };
    const { createdAt, updatedAt } = added;
    expect(added).to.deep.include({
      ...same,
      ...{ available: '0', version: 0, createdAt, updatedAt },
      position: { available: '0', onHold: '0', overdraftLimitAvailable: '0' },
    });
    expect(added.id.slice(0, -4)).to.equal(alice.id.slice(0, -4));
    expect(await got(client, `${book.at}/balances/${added.id}`)).to.deep.equal(added);
    const { items } = await got<List<Balance>>(client, `${book.at}/accounts/alias/@alice/balances`);
    expect(items).to.deep.equal([first, second]);
    const debit = await add({ key: 'cost', direction: 'debit', allowReceiving: false });
    expect(debit).to.include({ direction: 'debit', allowReceiving: false });
  });

  it('come back by the alias all at once, unless something was asked about them', async () => {
    for (let n = 1; n <= 11; n += 1) await add({ key: `k${n}` });
    const byAlias = (query = '') =>
      got<List<Balance>>(client, `${book.at}/accounts/alias/@alice/balances${query}`);
    const { items } = await byAlias('?offset=3&limit=100');
    expect(items).to.have.lengthOf(12);
    for (const bare of ['', '?offset=3&page=', '?metadata.a=1']) {
      expect(await byAlias(bare)).to.deep.equal({ items, limit: 10 });
    }
    for (const asked of ['?limit=10', '?sort_order=asc', '?page=1']) {
      expect((await byAlias(asked)).items.length, asked).to.be.at.most(10);
    }
    const first = await byAlias('?page=1');
    expect(first).to.include({ page: 1 }).and.to.have.property('next_cursor');
    expect(await got<List<Balance>>(client, path)).to.have.property('next_cursor');
  });

  it('are listed whatever metadata a query names: metadata is no parameter of these lists', async () => {
    const paths = [
      `${book.at}/balances`,
      path,
      `${book.at}/accounts/alias/@alice/balances`,
      `${book.at}/accounts/external/BRL/balances`,
    ];
    const many = Array.from({ length: 21 }, (_, n) => `metadata.k${n}=1`).join('&');
    for (const list of paths) {
      const all = await got<List<Balance>>(client, list);
      expect(all.items).to.not.have.lengthOf(0);
      for (const ignored of ['metadata.tier=gold', 'metadata.a=%00', many]) {
        const answer = await got<List<Balance>>(client, `${list}?${ignored}`);
        expect(answer.items, ignored).to.deep.equal(all.items);
      }
    }
  });

  it('are what funds are blocked on, and unblocked from', async () => {
    await add({ key: 'frozen' });
    const blocked = await move('block', on('default', '30'), on('FROZEN', '30'), '30');
    expect(blocked.status.code).to.equal('CREATED');
    const shown = blocked.operations.map(({ type, direction, balanceKey, amount }) =>
      [type, direction, balanceKey, amount.value].join(' '),
    );
    expect(shown).to.deep.equal(['BLOCK debit default 30', 'BLOCK credit frozen 30']);
    expect(await standings()).to.deep.equal(['default 70 v2', 'frozen 30 v1']);
    const more = await move('block', on('default', '5'), on('frozen', '5'), '5');
    const path_ = `${book.at}/transactions/${more.id}`;
    const read = await got<Transaction>(client, path_);
    expect(read.status.code).to.equal('APPROVED');
    expect(read.operations.map(({ type }) => type)).to.deep.equal(['BLOCK', 'BLOCK']);
    const reverted = await client.post(`${path_}/revert`, undefined);
    expect(reverted.status, reverted.text).to.equal(201);
    await move('unblock', on('frozen', '30'), on('default', '30'), '30');
    expect(await standings()).to.deep.equal(['default 100 v5', 'frozen 0 v4']);
    const listed = await got<List<{ type: string }>>(
      client,
      `${book.at}/accounts/${alice.id}/operations?type=unblock`,
    );
    expect(listed.items).to.have.lengthOf(2);
  });

  it('take pending as nothing when they are blocked, and a key as a key', async () => {
    await add({ key: 'frozen' });
    const body = { ...sending('1', [on('default', '1')], [on('frozen', '1')]), pending: true };
    const at = `${book.at}/transactions/block`;
    const first = await client.post(at, body, { 'X-Idempotency': 'once' });
    const again = await client.post(at, body, { 'X-Idempotency': 'once' });
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.text).to.equal(first.text);
    const other = await client.post(`${book.at}/transactions/unblock`, body, {
      'X-Idempotency': 'once',
    });
    expectProblem(other, 409, 'LDG-0084');
    const skipping = await client.post(at, { ...body, skip: { fees: true } });
    expectProblem(skipping, 400, 'LDG-0053', { locations: ['skip'] });
  });

  it('send and receive as they are told, whatever the others of the account may', async () => {
    const { id } = await add({ key: 'savings' });
    await move('json', on('default', '10'), on('savings', '10'), '10');
    const answer = await client.patch(`${book.at}/balances/${id}`, { allowSending: false });
    expect(answer.json()).to.deep.include({ id, allowSending: false, available: '10' });
    const stopped = sending('1', [on('savings', '1')], [exactly('@bob', '1')]);
    const refused = await client.post(`${book.at}/transactions/json`, stopped);
    expectProblem(refused, 422, 'LDG-0024');
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
  });

  it('are deleted when they are empty, and their ids are never used again', async () => {
    const first = await add({ key: 'savings' });
    await move('json', on('default', '1'), on('savings', '1'), '1');
    const at = `${book.at}/balances/${first.id}`;
    expectProblem(await client.delete(at), 409, 'LDG-0093');
    await move('json', on('savings', '1'), on('default', '1'), '1');
    expect((await client.delete(at)).status).to.equal(204);
    expectProblem(await client.get(at), 404, 'LDG-0007');
    expectProblem(await client.delete(at), 404, 'LDG-0007');
    const gone = sending('1', [on('default', '1')], [on('savings', '1')]);
    expectProblem(await client.post(`${book.at}/transactions/json`, gone), 422, 'LDG-0019');
    const second = await add({ key: 'savings' });
    expect(second.id).to.not.equal(first.id);
    expect(await standings()).to.deep.equal(['default 100 v3', 'savings 0 v0']);
  });

  describe('the default one', () => {
    const balances = async () => (await got<List<Balance>>(client, path)).items;
    const at = (balance: Balance | undefined) => `${book.at}/balances/${balance?.id ?? ''}`;
    const pay = (from: string, to: string) =>
      client.post(`${book.at}/transactions/json`, transfer(from, to, '1'));

    it('is deleted when it is empty, and legs that mean it are refused then', async () => {
      const savings = await add({ key: 'savings' });
      const [own] = await balances();
      expectProblem(await client.delete(at(own)), 409, 'LDG-0093', { entityType: 'Balance' });
      await move('json', on('default', '100'), on('savings', '100'), '100');
      const answer = await client.delete(at(own));
      expect([answer.status, answer.text]).to.deep.equal([204, '']);
      expectProblem(await client.get(at(own)), 404, 'LDG-0007', { entityType: 'Balance' });
      expectProblem(await client.delete(at(own)), 404, 'LDG-0007', { entityType: 'Balance' });
      expect((await balances()).map(({ id }) => id)).to.deep.equal([savings.id]);

      for (const [from, to] of [
        ['@alice', '@bob'],
        ['@bob', '@alice'],
      ] as const) {
        expectProblem(await pay(from, to), 422, 'LDG-0019', { entityType: 'Transaction' });
      }
      await move('json', on('savings', '1'), exactly('@bob', '1'), '1');
      const further = await client.post(path, { key: 'more' });
      expectProblem(further, 404, 'LDG-0126', { entityType: 'Balance' });
      const byAlias = `${book.at}/accounts/alias/@alice/balances`;
      expect((await got<List<Balance>>(client, byAlias)).items).to.have.lengthOf(1);
      expect((await client.get(`${book.at}/accounts/${alice.id}`)).status).to.equal(200);
    });

    it('is created again, with another id and the choices of any balance', async () => {
      const [own] = await balances();
      await move('json', on('default', '100'), exactly('@bob', '100'), '100');
      expect((await client.delete(at(own))).status).to.equal(204);
      expect(await balances()).to.deep.equal([]);
      const again = await add({ key: 'DEFAULT', allowReceiving: false });
      expect(again).to.include({ key: 'default', version: 0, available: '0', direction: 'credit' });
      expect(again.id).to.not.equal(own?.id);
      expectProblem(await client.post(path, { key: 'default' }), 409, 'LDG-0123');
      expectProblem(await pay('@bob', '@alice'), 422, 'LDG-0024');
      await client.patch(at(again), { allowReceiving: true });
      expect((await pay('@bob', '@alice')).status).to.equal(201);
      expect(await standings()).to.deep.equal(['default 1 v1']);
      const { items } = await got<List<{ balanceId: string }>>(
        client,
        `${book.at}/accounts/${alice.id}/operations?sort_order=desc`,
      );
      expect(items.map(({ balanceId }) => balanceId)).to.deep.equal([again.id, own?.id, own?.id]);
    });

    it('is not missed by the end of its account, and not counted', async () => {
      const [own] = await balances();
      await move('json', on('default', '100'), exactly('@bob', '100'), '100');
      expect((await client.delete(at(own))).status).to.equal(204);
      const assets = `${book.at}/dashboard/assets`;
      const { assets: counted } = await got<{ assets: readonly object[] }>(client, assets);
      expect(counted[0]).to.include({ accounts: 2, available: '110', onHold: '0' });
      const account = `${book.at}/accounts/${alice.id}`;
      expect((await client.delete(account)).status).to.equal(204);
      expectProblem(await client.get(account), 404, 'LDG-0007');
    });
  });

  it('go with their account, when all of them are empty', async () => {
    await add({ key: 'savings' });
    const at = `${book.at}/accounts/${alice.id}`;
    await move('json', on('default', '100'), on('savings', '100'), '100');
    expectProblem(await client.delete(at), 422, 'LDG-0012');
    await move('json', on('savings', '100'), exactly('@bob', '100'), '100');
    expect((await client.delete(at)).status).to.equal(204);
    expect(await got(client, path)).to.deep.equal({ items: [], limit: 10 });
  });

  it('are refused under keys that are none, taken or kept', async () => {
    const refused = async (body: object, status: number, code: string, location?: string) => {
      const locations = location === undefined ? {} : { locations: [location] };
      expectProblem(await client.post(path, body), status, code, locations);
    };
    await refused({}, 400, 'LDG-0009', 'key');
    await refused({ key: '' }, 400, 'LDG-0009', 'key');
    await refused({ key: 'x'.repeat(101) }, 400, 'LDG-0047', 'key');
    for (const key of ['a b', ' a', 'a\t', 'a ', 'a\u0000']) {
      await refused({ key }, 400, 'LDG-0047', 'key');
    }
    await refused({ key: 7 }, 400, 'LDG-0094', 'key');
    await refused({ key: 'a', available: '5' }, 400, 'LDG-0053', 'available');
    await refused({ key: 'a', direction: 'Credit' }, 400, 'LDG-0171', 'direction');
    await refused({ key: 'Default' }, 409, 'LDG-0123', 'key');
    await refused({ key: 'OVERDRAFT' }, 422, 'LDG-0170', 'key');
    const outside = await got<Account>(client, `${book.at}/accounts/external/BRL`);
    const external = `${book.at}/accounts/${outside.id}/balances`;
    expectProblem(await client.post(external, { key: 'a' }), 422, 'LDG-0124');
    const nobody = await client.post(`${book.at}/accounts/${NOBODY}/balances`, { key: 'a' });
    expectProblem(nobody, 404, 'LDG-0007', { entityType: 'Balance' });
    expect(await standings()).to.deep.equal(['default 100 v1']);
  });
});
