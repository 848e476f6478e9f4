import { expect } from 'chai';
import fc from 'fast-check';
import { rewritten, storedTransactionText } from '#src/resources/ledger/transaction-text.ts';
import { transactionView } from '#src/resources/ledger/transaction.ts';
import { anyTransaction } from '#test/support/any-transaction.ts';
import { state, transactionRecord } from '#test/support/transaction-samples.ts';

describe('text of a stored transaction', () => {
  it('is its view, byte for byte, whatever clients wrote into it', () =>
    fc.assert(
      fc.property(anyTransaction, fc.constantFrom(1, 2), (transaction, version) => {
        const record = JSON.stringify(transaction);
        const view = JSON.stringify(transactionView(transaction, { as: 'stored', version }));
        expect(storedTransactionText(record, version)).to.equal(view);
        if (transaction.operations.length > 0) expect(rewritten(record, version)).to.equal(view);
      }),
      { numRuns: 300 },
    ));

  it('takes the long way for a record of another form', () => {
    const balance = state('1', 1);
    const transaction = transactionRecord('rated', [
      { alias: '@a', type: 'DEBIT', balance, balanceAfter: balance, rate: { value: '5' } },
    ]);
    const [operation] = transaction.operations;
    const rated = { ...transaction, operations: [{ ...operation!, rate: { value: '5' } }] };
    const record = JSON.stringify(rated);
    expect(rewritten(record, 1)).to.equal(undefined);
    expect(JSON.parse(storedTransactionText(record, 1))).to.have.property('amount', '500');
  });
});
