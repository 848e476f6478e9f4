import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  exactly,
  got,
  made,
  openBook,
  sending,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';

describe('annotations', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  before(async () => {
    book = await openBook(client, {
      accounts: ['@bob', '@carol'],
      funds: { '@alice': '500' },
    });
  });

  const request = () =>
    sending('10', [exactly('@alice', '10')], [exactly('@bob', '6'), exactly('@carol', '4')]);

  const state = { available: '0', onHold: '0', version: 0, overdraftUsed: '0' };
  const zeros = { amount: { value: '0' }, balance: state, balanceAfter: state };

  function expectZeros(operations: readonly Operation[]): void {
    for (const operation of operations) {
      expect(operation).to.deep.include({ ...zeros, balanceAffected: false });
    }
  }

  for (const version of [1, 2] as const) {
    it(`show zeros in every operation and answer of version ${version}`, async () => {
      const at = book.at.replace('/v1/', `/v${version}/`);
      const path = `${at}/transactions/annotation`;
      const key = { 'X-Idempotency': `noted-${version}` };
      const first = await client.post(path, request(), key);
      const noted = first.json() as Transaction;
      expect(noted).to.include({ amount: '10' });
      expect(noted.status.code).to.equal('NOTED');
      expect(noted.operations.map(({ type }) => type)).to.deep.equal(['DEBIT', 'CREDIT', 'CREDIT']);
      expectZeros(noted.operations);
      expect((await client.post(path, request(), key)).text).to.equal(first.text);

      const one = `${at}/transactions/${noted.id}`;
      const { operations } = await got<Transaction>(client, one);
      expectZeros(operations);
      const { items } = await got<List<Transaction>>(client, `${at}/transactions?limit=100`);
      expectZeros(items.find(({ id }) => id === noted.id)?.operations ?? []);

      const [own] = operations;
      const ofAccount = `${at}/accounts/${own?.accountId ?? ''}/operations`;
      expectZeros([await got<Operation>(client, `${ofAccount}/${own?.id ?? ''}`)]);
      const listed = await got<List<Operation>>(client, `${ofAccount}?limit=100`);
      expectZeros(listed.items.filter(({ transactionId }) => transactionId === noted.id));
      const renamed = await client.patch(`${one}/operations/${own?.id ?? ''}`, {
        description: 'Noted once more',
      });
      expectZeros([renamed.json() as Operation]);
    });
  }

  it('keep the amounts of other operations as they are', async () => {
    const path = `${book.at}/transactions/json`;
    const { operations } = await made<Transaction>(client, path, request());
    expect(operations.map(({ amount }) => amount.value)).to.deep.equal(['10', '6', '4']);
  });
});
