import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';
import type { TransactionEvent } from '#src/events/transaction.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { inflow, ledgerWith, ORGANIZATION, postTransaction } from '#test/support/ledger-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const of = { organizationId: ORGANIZATION };

/** Loans are lent by debits: a debit raises what is available of them. */
const bank = () =>
  given(...ledgerWith('BRL', '@alice')).after(
    { type: 'CreateAccountType', ...of, fields: LOANS },
    { type: 'CreateAccount', ...of, fields: { ...ACCOUNT, alias: '@loan' } },
  );
const LOANS = { name: 'Loans', keyValue: 'loans', defaultDirection: 'debit' } as const;
const ACCOUNT = {
  assetCode: 'BRL',
  type: 'loans',
  status: { code: 'ACTIVE', description: null },
  blocked: false,
  skipHolder: false,
} as const;

const lend = (amount: string, more: object = {}) =>
  postTransaction({ from: '@loan', to: '@alice', amount, ...more });
const settle = (amount: string) => postTransaction({ from: '@alice', to: '@loan', amount });
const end = (type: 'CommitTransaction' | 'CancelTransaction', n: number): LedgerCommand => ({
  type,
  ...of,
  transactionId: nthWhole(n),
});

function loans([event]: readonly LedgerEvent[]): string[] {
  const { transaction } = (event as TransactionEvent).data;
  return transaction.operations
    .filter(({ accountAlias }) => accountAlias === '@loan')
    .map(({ type, balanceAfter: { available, onHold } }) => `${type} ${available}/${onHold}`);
}

describe('a debit balance', () => {
  it('grows by what it gives, and holds it', () => {
    expect(loans(bank().when(lend('10')).happened())).to.deep.equal(['DEBIT 10/0']);
    const held = bank().when(lend('10', { pending: true }));
    expect(loans(held.happened())).to.deep.equal(['ON_HOLD 10/10']);
  });

  it('is credited no more than there is', () => {
    const book = bank().after(inflow('@alice', '5'), lend('10'));
    const { message } = book.when(settle('10.01')).thenRefused('INSUFFICIENT_FUNDS');
    expect(message).to.match(/^Destination account @loan#default has insufficient funds/);
    expect(loans(book.when(settle('10')).happened())).to.deep.equal(['CREDIT 0/0']);
  });

  it('gives a hold back whatever was credited meanwhile', () => {
    const book = bank().after(
      inflow('@alice', '5'),
      lend('20'),
      lend('10', { pending: true }),
      settle('25'),
    );
    const canceled = book.when(end('CancelTransaction', 4));
    expect(loans(canceled.happened())).to.deep.equal(['ON_HOLD 30/10', 'RELEASE -5/0']);
  });
});
