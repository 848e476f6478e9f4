import { expect } from 'chai';
import type { Expansion } from '#commands/ledger/transaction/commands.ts';
import { checkExpansion } from '#commands/ledger/transaction/expansion.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type {
  AwaitingLeg,
  OperationRecord,
  TransactionEvent,
} from '#src/events/ledger/transaction.ts';
import { accountId } from '#test/support/ledger-samples.ts';
import { state, transactionRecord } from '#test/support/transaction-samples.ts';

const moved = (alias: string, more: Partial<OperationRecord> = {}) => ({
  alias,
  type: 'DEBIT' as const,
  balance: state('1', 1),
  balanceAfter: state('0', 2),
  ...more,
});
const borrowed = (alias: string) =>
  moved(alias, { type: 'OVERDRAFT', origin: 'overdraft', balanceKey: 'overdraft' });
const waits = (alias: string): AwaitingLeg => ({
  amount: '1',
  accountId: accountId(alias),
  accountAlias: alias,
  balanceKey: 'default',
});

const posted = (...moves: readonly ReturnType<typeof moved>[]): TransactionEvent => ({
  type: 'TransactionPosted',
  data: { transaction: transactionRecord('batch', moves) },
});
const held = (awaiting: readonly AwaitingLeg[], ...moves: readonly ReturnType<typeof moved>[]) => ({
  type: 'TransactionHeld' as const,
  data: { transaction: transactionRecord('held', moves, { awaiting }) },
});

/** What is too much of these, if anything. */
function tooMuch(events: readonly TransactionEvent[], most: Expansion): string | undefined {
  try {
    checkExpansion(events, most);
  } catch (error) {
    if (error instanceof Refusal) return `${error.refusal}: ${error.message}`;
    throw error;
  }
  return undefined;
}

describe('what a batch comes to', () => {
  it('counts every leg, also those that wait, and every balance once', () => {
    const events = [
      posted(moved('@a'), moved('@b')),
      held([waits('@b'), waits('@c')], moved('@a')),
    ];
    expect(tooMuch(events, { postings: 5, balances: 3 })).to.equal(undefined);
    expect(tooMuch(events, { postings: 4, balances: 3 })).to.equal(
      'BATCH_TOO_LARGE: The batch comes to 5 postings, more than 4.',
    );
    expect(tooMuch(events, { postings: 5, balances: 2 })).to.equal(
      'BATCH_TOO_LARGE: The batch comes to 3 balances, more than 2.',
    );
  });

  it('counts an overdraft as a balance, and as no posting', () => {
    const events = [posted(moved('@a'), borrowed('@a'), moved('@b'))];
    expect(tooMuch(events, { postings: 2, balances: 3 })).to.equal(undefined);
    expect(tooMuch(events, { postings: 2, balances: 2 })).to.match(/3 balances/);
  });
});
