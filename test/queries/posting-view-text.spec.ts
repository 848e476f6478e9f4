import { expect } from 'chai';
import fc from 'fast-check';
import { operationText, type WantedOperations } from '#queries/ledger/operation-text.ts';
import { transactionText, transactionTextV2 } from '#queries/ledger/renderers.ts';
import { compactPosting } from '#src/kernel/compact-posting.ts';
import { usualPosting } from '#src/kernel/scan-posting.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { transactionView } from '#src/resources/ledger/transaction.ts';
import { anyTransactionIn, nasty, unescaped } from '#test/support/any-transaction.ts';
import { accountId, LEDGER } from '#test/support/ledger-samples.ts';
import { state, transactionRecord, type Moved } from '#test/support/transaction-samples.ts';

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const seldom = <T>(values: fc.Arbitrary<T>, weight: number) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight }, { arbitrary: values, weight: 1 });

/** Transactions that move stated amounts between first balances, in up to more legs than are written member by member. */
const posted = (words: fc.Arbitrary<string>) =>
  fc
    .record({
      moves: fc.array(
        fc.record({
          alias: words,
          type: fc.constantFrom('DEBIT', 'CREDIT'),
          amount: fc.constantFrom('1', '0.05', '12345678901234567890.1234'),
          version: fc.nat(),
          description: seldom(words, 60),
        }),
        { maxLength: 18, size: 'max' },
      ),
      description: maybe(words),
      route: seldom(words, 10),
      metadata: maybe(fc.dictionary(words, fc.oneof(words, fc.boolean(), fc.double()))),
    })
    .map(({ moves, ...changes }) =>
      transactionRecord(
        'any',
        moves.map(({ version, ...move }) => ({
          ...(move as Moved),
          balance: state('-1', version),
          balanceAfter: state('2.5', version + 1),
        })),
        changes as Partial<TransactionRecord>,
      ),
    );

const storedAs = (transaction: TransactionRecord): string =>
  compactPosting({ transaction }) ?? JSON.stringify({ transaction });

describe('the text of a view from the data of an event', () => {
  const texts = fc.oneof(unescaped, nasty);
  const transactions = fc.oneof(posted(unescaped), posted(texts), anyTransactionIn(texts));

  it('is the view of its transaction, byte for byte, whatever clients wrote into it', () => {
    let usual = 0;
    fc.assert(
      fc.property(transactions, fc.constantFrom(1, 2), (transaction, version) => {
        const data = storedAs(transaction);
        if (usualPosting(data) !== undefined) usual += 1;
        const view = JSON.stringify(transactionView(transaction, { as: 'stored', version }));
        const text = version === 1 ? transactionText : transactionTextV2;
        expect(text({ ...row(transaction), data })).to.equal(view);
      }),
      { numRuns: 600 },
    );
    expect(usual).to.be.within(100, 500);
  });

  it('is that of each operation of its record', () => {
    let usual = 0;
    fc.assert(
      fc.property(transactions, fc.constantFrom(1, 2), texts, (transaction, version, word) => {
        const data = storedAs(transaction);
        const isUsual = usualPosting(data) !== undefined;
        for (const [n, operation] of transaction.operations.entries()) {
          const entry = { ...row(transaction), ordinal: n + 1, entryBorn: 1 };
          for (const wanted of [
            wantedOf(version, operation.accountId),
            wantedOf(version, accountId('another')),
            { ...wantedOf(version, operation.accountId), routeId: operation.routeId ?? word },
            { ...wantedOf(version, operation.accountId), metadata: [{ key: word, value: word }] },
            { ...wantedOf(version, operation.accountId), ledgerId: accountId('another') },
          ]) {
            if (isUsual) usual += 1;
            expect(operationText({ ...entry, data }, wanted)).to.equal(
              operationText(entry, wanted),
            );
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(usual).to.be.above(100);
  });

  it('is not made of an operation that there is not', () => {
    const moves = [
      { alias: '@a', type: 'DEBIT', balance: state('1', 1), balanceAfter: state('0', 2) },
    ];
    const transaction = transactionRecord('one', moves as Moved[]);
    const entry = { ...row(transaction), ordinal: 2, entryBorn: 1, data: storedAs(transaction) };
    expect(() => operationText(entry, wantedOf(1, accountId('@a')))).to.throw('has no part 2');
  });
});

const row = (transaction: TransactionRecord) => ({
  ...{ born: 1, values: {} },
  body: JSON.stringify(transaction),
});

const wantedOf = (
  version: WantedOperations['version'],
  account: WantedOperations['accountId'],
): WantedOperations => ({
  ...{ version, ledgerId: LEDGER, accountId: account, metadata: [] },
  ...{ routeId: undefined, routeCode: undefined },
});
