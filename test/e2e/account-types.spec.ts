import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import {
  got,
  made,
  NOBODY,
  openBook,
  UUID_V7,
  type AccountType,
  type Book,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('account types', () => {
  const client = clientOf(serverOfBlock());
  after(() => client.close());

  let book: Book;
  let types = '';
  beforeEach(async () => {
    book = await openBook(client, { assets: [] });
    types = `${book.at}/account-types`;
  });
  const create = (fields: object = {}) =>
    made<AccountType>(client, types, { name: 'Savings', keyValue: 'savings', ...fields });
  const list = (query: string) => got<List<AccountType>>(client, `${types}?${query}`);

  it('are created from a name and a key in lower case, and read back as they were answered', async () => {
    const answer = await client.post(types, { name: 'Savings', keyValue: 'Own_Savings-2' });
    expect(answer.status, answer.text).to.equal(201);
    const { id, createdAt, updatedAt, ...rest } = answer.json() as AccountType;
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      name: 'Savings',
      keyValue: 'own_savings-2',
      deletedAt: null,
    });
    for (const at of [types, types.replace('/v1/', '/v2/')]) {
      expect((await client.get(`${at}/${id}`)).text).to.equal(answer.text);
    }
  });

  it('keep every field that is sent', async () => {
    const sent = {
      name: 'ñ'.repeat(100),
      description: 'd'.repeat(500),
      keyValue: 'k'.repeat(50),
      defaultDirection: 'debit',
      metadata: { n: 1 },
    };
    expect(await create(sent)).to.deep.include(sent);
  });

  const refused: readonly [what: string, fields: object, code: string, location: string][] = [
    ['no name', { name: '' }, 'LDG-0009', 'name'],
    ['a name of 101', { name: 'n'.repeat(101) }, 'LDG-0047', 'name'],
    ['a description of 501', { description: 'n'.repeat(501) }, 'LDG-0047', 'description'],
    ['no key', { keyValue: '' }, 'LDG-0009', 'keyValue'],
    ['a key of 51', { keyValue: 'k'.repeat(51) }, 'LDG-0047', 'keyValue'],
    ['a key with a blank', { keyValue: 'a b' }, 'LDG-0120', 'keyValue'],
    ['a key with an accent', { keyValue: 'ahorró' }, 'LDG-0120', 'keyValue'],
    ['a direction that is none', { defaultDirection: 'CREDIT' }, 'LDG-0500', 'defaultDirection'],
    ['no direction', { defaultDirection: '' }, 'LDG-0500', 'defaultDirection'],
    ['a status, which they have not', { status: 'ACTIVE' }, 'LDG-0053', 'status'],
  ];
  for (const [what, fields, code, location] of refused) {
    it(`are refused with ${what}`, async () => {
      const body = { name: 'Savings', keyValue: 'savings', ...fields };
      expectProblem(await client.post(types, body), 400, code, { locations: [location] });
    });
  }

  it('have a key of their own, in any letter case', async () => {
    await create();
    const again = await client.post(types, { name: 'Other', keyValue: 'SAVINGS' });
    expectProblem(again, 409, 'LDG-0108', { entityType: 'AccountType', locations: ['keyValue'] });
  });

  describe('are listed', () => {
    const all: AccountType[] = [];
    beforeEach(async () => {
      all.length = 0;
      for (const keyValue of ['a', 'b', 'c', 'd', 'e']) {
        all.push(await create({ keyValue, metadata: { half: keyValue < 'c' } }));
      }
    });

    it('by cursor, there and back, and always say a page', async () => {
      const first = await list('limit=2');
      expect(first).to.deep.include({ items: all.slice(0, 2), limit: 2, page: 1 });
      expect(first).to.not.have.property('prev_cursor');
      const second = await list(`limit=2&cursor=${first.next_cursor}`);
      expect(second).to.deep.include({ items: all.slice(2, 4), page: 1 });
      const third = await list(`limit=2&cursor=${second.next_cursor}`);
      expect(third.items).to.deep.equal([all[4]]);
      expect(third).to.not.have.property('next_cursor');
      const back = await list(`limit=2&cursor=${third.prev_cursor}`);
      expect(back.items).to.deep.equal(second.items);
      const stray = await client.get(`${types}?cursor=${first.next_cursor}&sort_order=desc`);
      expectProblem(stray, 400, 'LDG-0082', { locations: ['query.cursor'] });
    });

    it('by page, which has no effect beside a cursor', async () => {
      const second = await list('limit=2&page=2&sort_order=desc');
      expect(second).to.deep.include({ items: [all[2], all[1]], limit: 2, page: 2 });
      const third = await list(`limit=2&page=7&cursor=${second.next_cursor}`);
      expect(third).to.deep.include({ items: [all[0]], page: 7 });
      expect(await list('page=9')).to.deep.include({ items: [], limit: 10, page: 9 });
    });

    it('by key, date and metadata', async () => {
      expect((await list('key_value=B')).items).to.deep.equal([all[1]]);
      expect((await list('key_value=x')).items).to.deep.equal([]);
      expect((await list('metadata.half=true')).items).to.deep.equal(all.slice(0, 2));
      const at = all[3]!.createdAt;
      expect((await list(`start_date=${at}&end_date=${at}`)).items).to.deep.equal([all[3]]);
    });
  });

  it('are looked up in their own ledger', async () => {
    const { id } = await create();
    const other = await openBook(client, { assets: [] });
    for (const path of [`${other.at}/account-types/${id}`, `${types}/${NOBODY}`]) {
      for (const answer of [
        await client.get(path),
        await client.patch(path, {}),
        await client.delete(path),
      ]) {
        expectProblem(answer, 404, 'LDG-0109', { entityType: 'AccountType' });
      }
    }
  });

  it('change by what is sent, their key never', async () => {
    const before = await create({ metadata: { a: 1, b: 2 } });
    const path = `${types}/${before.id}`;
    const changes = { name: 'Saved', description: 'Kept', defaultDirection: 'debit' };
    const answer = await client.patch(path, { ...changes, metadata: { a: null, c: 3 } });
    expect(answer.status, answer.text).to.equal(200);
    const { updatedAt, ...after } = answer.json() as AccountType;
    expect(updatedAt > before.updatedAt).to.equal(true);
    const due = { ...before, ...changes, metadata: { b: 2, c: 3 } };
    expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal(due);
    expect((await client.get(path)).text).to.equal(answer.text);
    for (const body of [{}, { name: '' }, { description: null, defaultDirection: null }]) {
      expect((await client.patch(path, body)).text).to.equal(answer.text);
    }
    for (const body of [{ keyValue: 'other' }, { name: null }, { id: NOBODY }]) {
      expectProblem(await client.patch(path, body), 400, 'LDG-0053');
    }
    expectProblem(await client.patch(path, { defaultDirection: 'up' }), 400, 'LDG-0500');
  });

  it('end, and free their keys', async () => {
    const { id } = await create();
    const answer = await client.delete(`${types}/${id}`);
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    const gone = await client.get(`${types}/${id}`);
    expectProblem(gone, 404, 'LDG-0109', { entityType: 'AccountType' });
    expect((await list('')).items).to.deep.equal([]);
    expect((await create()).id).to.not.equal(id);
  });
});
