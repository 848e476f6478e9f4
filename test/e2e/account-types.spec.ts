import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { NOBODY, type AccountType } from './books.ts';
import { expectProblem } from './problems.ts';
import { recordContract } from './record-contract.ts';

describe('account types', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  const types = recordContract<AccountType>(client, {
    collection: 'account-types',
    entityType: 'AccountType',
    notFound: 'LDG-0109',
    required: { name: 'Savings', keyValue: 'own_savings-2' },
    defaults: {},
    complete: {
      name: 'ñ'.repeat(100),
      description: 'd'.repeat(500),
      keyValue: 'k'.repeat(50),
      defaultDirection: 'debit',
      metadata: { n: 1 },
    },
    changes: { name: 'Saved', description: 'Kept', defaultDirection: 'credit' },
    unchanging: [{ description: null, defaultDirection: null }],
    unchangeable: [{ keyValue: 'other' }, { id: NOBODY }],
    refused: [
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
    ],
  });
  const { create, list } = types;

  it('have a key of their own, kept in lower case and taken in any', async () => {
    expect((await create({ keyValue: 'Own_Savings-2' })).keyValue).to.equal('own_savings-2');
    const again = await client.post(types.at(), { name: 'Other', keyValue: 'OWN_savings-2' });
    expectProblem(again, 409, 'LDG-0108', { entityType: 'AccountType', locations: ['keyValue'] });
  });

  it('are refused a direction that is none in an update', async () => {
    const { id } = await create();
    const answer = await client.patch(`${types.at()}/${id}`, { defaultDirection: 'up' });
    expectProblem(answer, 400, 'LDG-0500');
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
      const stray = await client.get(`${types.at()}?cursor=${first.next_cursor}&sort_order=desc`);
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
});
