import { expect } from 'chai';
import type { CreateBalance } from '#commands/ledger/balance/create.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';
import { state } from '#test/support/transaction-samples.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const by = { organizationId: ORGANIZATION };

const remove = (alias: string, ordinal = 1): LedgerCommand => ({
  ...{ type: 'DeleteBalance', ...by },
  balanceId: partId(accountId(alias), ordinal),
});
const add = (
  alias: string,
  key: string,
  fields: Partial<CreateBalance['fields']> = {},
): LedgerCommand => ({
  ...{ type: 'CreateBalance', ...by, accountId: accountId(alias) },
  fields: { key, allowSending: true, allowReceiving: true, direction: 'credit', ...fields },
});
const end = (type: 'DeleteAccount' | 'CloseAccount', alias: string): LedgerCommand => ({
  ...{ type, ...by, accountId: accountId(alias) },
});
const pay = (from: string, to: string, more: object = {}) =>
  postTransaction({ from, to, amount: '1', ...more });
const settle = (type: 'CommitTransaction' | 'CancelTransaction', id: Uuid): LedgerCommand => ({
  ...{ type, ...by, transactionId: id },
});

const bank = () => given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', '5'));
const recordOf = (events: readonly LedgerEvent[]): BalanceRecord =>
  (events[0]?.data as Readonly<{ balance: BalanceRecord }>).balance;
const own = (accountOpened({ alias: '@bob' }).data as Readonly<{ balance: BalanceRecord }>).balance;

describe('a default balance', () => {
  it('is deleted when it is empty', () => {
    bank()
      .when(remove('@bob'), {}, LATER)
      .then({
        type: 'BalanceDeleted',
        data: {
          balance: { ...own, updatedAt: LATER, deletedAt: LATER },
          state: state('0', 0),
        },
      });
  });

  it('is kept while there is anything on it, and while it is that of the world outside', () => {
    bank().when(remove('@alice')).thenRefused('BALANCE_NOT_DELETABLE');
    bank()
      .after(pay('@alice', '@bob', { amount: '5', pending: true }))
      .when(remove('@alice'))
      .thenRefused('BALANCE_NOT_DELETABLE');
    bank().when(remove('@external/BRL')).thenRefused('BALANCE_NOT_DELETABLE');
    given(...ledgerWith('BRL'))
      .when(remove('@external/BRL'))
      .thenRefused('BALANCE_NOT_DELETABLE');
  });

  it('is meant by no leg once it is deleted, whatever else the account has', () => {
    const book = bank().after(add('@bob', 'savings'), remove('@bob'));
    book.when(remove('@bob')).thenRefused('NOT_FOUND');
    for (const leg of ['@bob', '@bob#default']) {
      book.when(pay('@alice', leg)).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
      book.when(pay(leg, '@alice')).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
      book.when({ ...pay('@alice', leg), as: 'annotation' }).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    }
    book.after(pay('@alice', '@bob#savings'));
    book.when(pay('@bob#savings', '@alice')).happened();
  });

  it('is needed by further balances, and created again under its key', () => {
    const book = bank().after(remove('@bob'));
    book.when(add('@bob', 'savings')).thenRefused('DEFAULT_BALANCE_MISSING');
    const again = recordOf(
      book.when(add('@bob', 'default', { direction: 'debit', allowSending: false })).happened(),
    );
    expect(again).to.include({ key: 'default', direction: 'debit', allowSending: false });
    expect(again.id).to.equal(partId(accountId('@bob'), 2));
    book.when(add('@bob', 'default')).thenRefused('KEY_TAKEN');
    book.when(add('@bob', 'savings')).happened();
  });

  it('begins at zero and version 0 when it is created again', () => {
    const book = bank().after(pay('@alice', '@bob'), pay('@bob', '@alice'), remove('@bob'));
    const [event] = book.after(add('@bob', 'default')).when(pay('@alice', '@bob')).happened();
    const { operations } = (event as Extract<LedgerEvent, { type: 'TransactionPosted' }>).data
      .transaction;
    expect(operations.find(({ accountAlias }) => accountAlias === '@bob')).to.deep.include({
      balanceId: partId(accountId('@bob'), 2),
      balance: state('0', 0),
      balanceAfter: state('1', 1),
    });
  });

  it('is created again with an overdraft, which shows on the companion that is there', () => {
    const settings = {
      balanceScope: 'transactional',
      allowOverdraft: true,
      overdraftLimitEnabled: false,
    } as const;
    const update: LedgerCommand = {
      ...{ type: 'UpdateBalance', ...by, balanceId: partId(accountId('@bob'), 1) },
      changes: { settings },
    };
    const book = bank().after(update, pay('@bob', '@alice'));
    book.when(remove('@bob')).thenRefused('BALANCE_NOT_DELETABLE');
    book.after(pay('@alice', '@bob'), remove('@bob'));
    const events = book.when(add('@bob', 'default', { settings })).happened();
    expect(events).to.have.lengthOf(1);
    const [drawn] = book.when(pay('@bob', '@alice')).happened();
    const { operations } = (drawn as Extract<LedgerEvent, { type: 'TransactionPosted' }>).data
      .transaction;
    expect(
      operations.map((one) => `${one.accountAlias}#${one.balanceKey} ${one.amount}`),
    ).to.include('@bob#overdraft 1');
  });

  it('that was deleted keeps no pending transaction from its cancellation, and its commit waits', () => {
    const pending = pay('@alice', '@bob', { pending: true });
    const book = bank().after(pending, remove('@bob'));
    const id = nthWhole(2);
    book.when(settle('CommitTransaction', id)).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    const again = bank().after(pending, remove('@bob'), add('@bob', 'default'));
    again.when(settle('CommitTransaction', id)).happened();
    book.when(settle('CancelTransaction', id)).happened();
  });

  it('that was deleted keeps no transaction from being found, nor its reversal from being refused', () => {
    const revert: LedgerCommand = {
      ...{ type: 'RevertTransaction', ...by, transactionId: nthWhole(2) },
    };
    const book = bank().after(pay('@alice', '@bob'), pay('@bob', '@alice'), remove('@bob'));
    book.when(revert).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    book.after(add('@bob', 'default'));
    book.when(revert).thenRefused('INSUFFICIENT_FUNDS');
  });

  it('that was deleted is not missed by the end of its account', () => {
    const [gone] = bank().after(remove('@bob')).when(end('DeleteAccount', '@bob')).happened();
    expect(gone).to.deep.include({ type: 'AccountDeleted' });
    expect((gone?.data as { balances: unknown }).balances).to.deep.equal([]);
    const closed = bank().after(remove('@bob'), end('CloseAccount', '@bob'));
    closed.when(add('@bob', 'default')).thenRefused('ACCOUNT_CLOSED');
    closed.when(end('DeleteAccount', '@bob')).happened();
  });

  it('stays deleted in a snapshot', () => {
    const ledger = ledgerDecider.initialState();
    const events = [...ledgerWith('BRL', '@bob')];
    const deleted = {
      type: 'BalanceDeleted',
      data: { balance: own, state: state('0', 0) },
    } as const;
    for (const [revision, event] of [...events, deleted].entries()) {
      ledgerDecider.evolve(ledger, event, revision);
    }
    const thawed = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(ledger));
    expect(thawed.book.account('@bob')).to.deep.include({ balances: [], parts: 1 });
  });
});
