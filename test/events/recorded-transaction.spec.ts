import { expect } from 'chai';
import fc from 'fast-check';
import { recordedTransaction } from '#src/events/ledger/recorded-transaction.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { funded } from '#test/support/transaction-samples.ts';
import { anyTransaction } from '#test/support/any-transaction.ts';

/** Everything that events say beside a transaction; none of it is an object. */
const beside = fc.record(
  {
    relies: fc.array(fc.record({ journal: fc.string(), revision: fc.nat() })),
    accountBlockExceptionId: fc.uuid(),
    stepOperations: fc.nat(),
    direct: fc.constant(true),
    operationId: fc.uuid(),
    changed: fc.array(fc.string()),
  },
  { requiredKeys: [] },
);

describe('a transaction in the data of its event', () => {
  it('is its text, byte for byte, whatever clients wrote into it and whatever follows', () =>
    fc.assert(
      fc.property(anyTransaction, beside, (transaction, more) => {
        const text = recordedTransaction(JSON.stringify({ transaction, ...more }));
        expect(text).to.equal(JSON.stringify(transaction));
      }),
      { numRuns: 500 },
    ));

  it('is the same text if the event is compact', () => {
    const { data } = funded('@alice');
    const { data: compact, schemaVersion } = storedData({ type: 'TransactionPosted', data });
    expect(schemaVersion).to.equal(2);
    expect(recordedTransaction(compact)).to.equal(recordedTransaction(JSON.stringify(data)));
  });

  it('is not found in a damaged event', () => {
    expect(() => recordedTransaction('{"posted":["1"')).to.throw(SyntaxError);
    expect(() => recordedTransaction('{"transaction":{"id":"1"')).to.throw(SyntaxError);
  });
});
