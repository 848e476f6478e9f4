import fc from 'fast-check';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { state, transactionRecord, type Moved } from './transaction-samples.ts';

/** Texts that try to look like members. */
export const nasty = fc.oneof(
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

/** Texts that JSON does not escape, but that try to look like the end of something. */
export const unescaped = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !JSON.stringify(text).includes('\\')),
  fc.constantFrom('],[', ']}', ']}]}', '}', '{posted:[', ',8]', '__proto__', '1', '🪢', ''),
);

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

/** A transaction in the form in which they are decided, saying whatever clients may write. */
export const anyTransaction = anyTransactionIn(nasty);

/** A transaction whose texts are of one kind. */
export function anyTransactionIn(text: fc.Arbitrary<string>) {
  const words = {
    description: maybe(text),
    route: maybe(text),
    routeId: maybe(fc.uuid()),
    metadata: maybe(fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.double({ noNaN: true })))),
  };
  return fc
    .record({
      moves: fc.array(
        fc.record({
          alias: text,
          type: fc.constantFrom('DEBIT', 'CREDIT', 'OVERDRAFT', 'BLOCK', 'UNBLOCK'),
          origin: fc.constantFrom('request', 'overdraft', 'fee'),
          overdraftLimit: maybe(fc.constantFrom('1', '0.05')),
          chartOfAccounts: maybe(text),
          ...words,
        }),
        { maxLength: 4 },
      ),
      chartOfAccountsGroupName: maybe(text),
      code: maybe(text),
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
}
