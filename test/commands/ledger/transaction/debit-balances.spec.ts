import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { creditedHold, LENT } from '#test/support/credited-hold.ts';
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
const end = (type: 'CommitTransaction' | 'CancelTransaction', n: number | Uuid): LedgerCommand => ({
  type,
  ...of,
  transactionId: typeof n === 'number' ? nthWhole(n) : n,
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

  it('is not credited what it has on hold, so that a release never ends below zero', () => {
    const book = bank().after(inflow('@alice', '5'), lend('20'), lend('10', { pending: true }));
    for (const more of [{}, { as: 'block' }, { as: 'unblock' }] as const) {
      book.when({ ...settle('20.01'), ...more }).thenRefused('INSUFFICIENT_FUNDS');
    }
    expect(loans(book.when(settle('20')).happened())).to.deep.equal(['CREDIT 10/10']);
    book.when(settle('0.01')).thenRefused('INSUFFICIENT_FUNDS');
    const canceled = book.when(end('CancelTransaction', 4));
    expect(loans(canceled.happened())).to.deep.equal(['ON_HOLD 30/10', 'RELEASE 0/0']);
  });

  it('keeps what is on hold when a pending transaction to it is committed', () => {
    const back = postTransaction({ from: '@alice', to: '@loan', amount: '10', pending: true });
    const book = bank().after(lend('15'), back, lend('10', { pending: true }));
    book.after(inflow('@alice', '50'), settle('5.5'));
    book.when(end('CommitTransaction', 3)).thenRefused('INSUFFICIENT_FUNDS'); // 9.5 are free.
    book.after(lend('0.5'));
    expect(loans(book.when(end('CommitTransaction', 3)).happened())).to.deep.equal([
      'CREDIT 10/10',
    ]);
  });

  it('keeps what is on hold from a reversal', () => {
    const book = bank().after(lend('15'), lend('10', { pending: true }), settle('1'));
    const revert = { type: 'RevertTransaction', ...of, transactionId: nthWhole(2) } as const;
    book.when(revert).thenRefused('INSUFFICIENT_FUNDS');
  });

  it('gives a hold back whatever an older release credited meanwhile', () => {
    const canceled = given(...creditedHold()).when(end('CancelTransaction', LENT));
    expect(loans(canceled.happened()).slice(-2)).to.deep.equal(['RELEASE 0/0', 'CREDIT -10/0']);
  });
});
