import fc from 'fast-check';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { state, transactionRecord, type Moved } from './transaction-samples.ts';

/** Texts that try to look like members. */
const nasty = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '"operations":[',
    '{"transaction":{"id":"',
    '"}],"createdAt":"x"',
    '\\',
    '\\"',
    '}}',
    '}},',
    '}}]',
  ),
);
const metadata = fc.dictionary(nasty, fc.oneof(nasty, fc.boolean(), fc.double({ noNaN: true })));
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const words = {
  description: maybe(nasty),
  route: maybe(nasty),
  routeId: maybe(fc.uuid()),
  metadata: maybe(metadata),
};

/** A transaction in the form in which they are decided, saying whatever clients may write. */
export const anyTransaction = fc
  .record({
    moves: fc.array(
      fc.record({
        alias: nasty,
        type: fc.constantFrom('DEBIT', 'CREDIT', 'OVERDRAFT', 'BLOCK', 'UNBLOCK'),
        origin: fc.constantFrom('request', 'overdraft', 'fee'),
        overdraftLimit: maybe(fc.constantFrom('1', '0.05')),
        chartOfAccounts: maybe(nasty),
        ...words,
      }),
      { maxLength: 4 },
    ),
    chartOfAccountsGroupName: maybe(nasty),
    code: maybe(nasty),
    groupId: maybe(fc.uuid()),
    scheme: maybe(fc.constantFrom('CARD', 'PIX')),
    feesSkipped: maybe(fc.constant(true)),
    tracerSkipped: maybe(fc.constant(true)),
    feePackage: maybe(fc.record({ id: fc.uuid(), revision: fc.nat(), charged: fc.boolean() })),
    ...words,
  })
  .map(({ moves, ...changes }) =>
    transactionRecord(
      'any',
      moves.map((move, n) => ({
        ...(move as Moved),
        balance: state('1', n),
        balanceAfter: state('-2.5', n + 1),
      })),
      changes as Partial<TransactionRecord>,
    ),
  );
