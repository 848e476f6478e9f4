import { expect } from 'chai';
import fc from 'fast-check';
import { createdText, plainText } from '#src/resources/ledger/created-text.ts';
import { transactionView } from '#src/resources/ledger/transaction.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { anyTransaction } from '#test/support/any-transaction.ts';
import { state, transactionRecord } from '#test/support/transaction-samples.ts';

const word = fc.string({ unit: 'binary' });
const ASCII = /^[ -~]*$/;
const anyVersion = fc.constantFrom(1, 2);
const viewOf = (record: TransactionRecord, version: 1 | 2): string =>
  JSON.stringify(transactionView(record, { as: 'created', version }));

describe('text of a new transaction', () => {
  it('is its view, byte for byte, whatever clients wrote into it', () =>
    fc.assert(
      fc.property(anyTransaction, anyVersion, (record, version) => {
        expect(createdText(record, version).text).to.equal(viewOf(record, version));
      }),
      { numRuns: 300 },
    ));

  it('is written member by member for a plain posting, whatever its words are', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ alias: word, balanceKey: word }), { minLength: 1, maxLength: 4 }),
        fc.option(word, { nil: undefined }),
        word,
        anyVersion,
        (legs, description, assetCode, version) => {
          const moves = legs.map((leg, n) => ({
            ...{ ...leg, type: n % 2 === 0 ? ('DEBIT' as const) : ('CREDIT' as const) },
            ...{ balance: state('1', n), balanceAfter: state('-2.5', n + 1) },
          }));
          const words = description === undefined ? {} : { description };
          const record = transactionRecord('plain', moves, { assetCode, ...words });
          const created = plainText(record, version);
          expect(created?.text).to.equal(viewOf(record, version));
          if (created?.isAscii === true) expect(created.text).to.match(ASCII);
        },
      ),
      { numRuns: 300 },
    ));

  it('is known to be ASCII if no client chose another character', () => {
    const isAscii = (alias: string, words: Partial<TransactionRecord>, balanceKey = 'default') => {
      const leg = { alias, balanceKey, type: 'DEBIT', balance: state('1', 0) } as const;
      const record = transactionRecord('plain', [{ ...leg, balanceAfter: state('0', 1) }], words);
      const created = plainText(record, 1);
      expect(created?.text).to.equal(viewOf(record, 1));
      return created?.isAscii;
    };
    expect(isAscii('@a', { description: 'Rent, [May] {~}', assetCode: 'BRL' })).to.equal(true);
    for (const other of ['é', '€', '\u007f', '😀', '"', '\\', '\n']) {
      expect(isAscii(`@${other}`, {}), other).to.equal(false);
      const named = { source: ['@a'], destination: ['@b'] };
      expect(isAscii(`@${other}`, named), other).to.equal(false);
      expect(isAscii('@a', { description: other }), other).to.equal(false);
      expect(isAscii('@a', { assetCode: other }), other).to.equal(false);
      expect(isAscii('@a', {}, other), other).to.equal(false);
      expect(isAscii('@a', { source: ['@a', other] }), other).to.equal(false);
      expect(isAscii('@a', { destination: [other] }), other).to.equal(false);
    }
  });

  it('is viewed if the record or an operation has another member, or another status', () => {
    const moves = [
      { alias: '@a', type: 'DEBIT', balance: state('1', 0), balanceAfter: state('0', 1) },
    ] as const;
    const plain = transactionRecord('plain', moves);
    const [operation] = plain.operations;
    const others: TransactionRecord[] = [
      { ...plain, code: 'x' },
      { ...plain, status: 'PENDING' },
      { ...plain, operations: [{ ...operation!, chartOfAccounts: 'x' }] },
    ];
    expect(plainText(plain, 1)).not.to.equal(undefined);
    for (const record of others) expect(plainText(record, 1)).to.equal(undefined);
  });
});
