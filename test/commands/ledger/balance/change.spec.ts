import type { BalanceCommand } from '#commands/ledger/balance/change.ts';
import { settingsOf, type SentSettings } from '#commands/ledger/balance/settings.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { expect } from 'chai';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  idOf,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { state } from '#test/support/transaction-samples.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const of = (alias: string) => ({
  organizationId: ORGANIZATION,
  balanceId: partId(accountId(alias), 1),
});
const update = (
  alias: string,
  changes: Extract<BalanceCommand, { type: 'UpdateBalance' }>['changes'],
): BalanceCommand => ({ type: 'UpdateBalance', ...of(alias), changes });
const remove = (alias: string): BalanceCommand => ({ type: 'DeleteBalance', ...of(alias) });

type Images = Readonly<{ account: AccountRecord; balance: BalanceRecord }>;
const recordOf = (alias: string) => (accountOpened({ alias }).data as Images).balance;

describe('balance', () => {
  const book = () => given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', '5'));

  it('may stop to send or to receive, which leaves its amounts as they are', () => {
    book()
      .when(update('@alice', { allowSending: false, allowReceiving: true }), {}, LATER)
      .then({
        type: 'BalanceUpdated',
        data: {
          balance: { ...recordOf('@alice'), allowSending: false, updatedAt: LATER },
          state: state('5', 1),
          changed: ['allowSending'],
        },
      });
  });

  it('binds the very next transaction', () => {
    const pay = postTransaction({ from: '@alice', to: '@bob', amount: '1' });
    const stopped = book().after(update('@alice', { allowSending: false }));
    stopped.when(pay).thenRefused('SIDE_NOT_PERMITTED');
    stopped.when(inflow('@alice', '1')).happened();
    stopped
      .after(update('@alice', { allowSending: true, allowReceiving: false }))
      .when(pay)
      .happened();
    stopped.when(inflow('@alice', '1')).thenRefused('SIDE_NOT_PERMITTED');
  });

  it('of a closed account may change, but is allowed no overdraft that it never had', () => {
    const closeAccount = {
      type: 'CloseAccount',
      organizationId: ORGANIZATION,
      accountId: accountId('@bob'),
    } as const;
    const owing = (limit: Partial<SentSettings> = {}) =>
      update('@bob', { settings: settingsOf({ allowOverdraft: true, ...limit }) });
    const closed = book().after(closeAccount);
    closed.when(owing()).thenRefused('ACCOUNT_CLOSED');
    closed.when(update('@bob', { allowSending: false })).happened();
    const limit = { overdraftLimitEnabled: true, overdraftLimit: '5' };
    book().after(owing(), closeAccount).when(owing(limit)).happened();
  });

  it('stays as it is when nothing differs', () => {
    const unchanged = { balance: recordOf('@alice'), state: state('5', 1), changed: [] };
    for (const changes of [{}, { allowSending: true }]) {
      book()
        .when(update('@alice', changes), {}, LATER)
        .thenUnchanged({ type: 'BalanceUpdated', data: unchanged });
    }
  });

  it('keeps what was changed before, whatever has moved since', () => {
    const [event] = book()
      .after(update('@alice', { allowReceiving: false }))
      .after(postTransaction({ from: '@alice', to: '@bob', amount: '2' }))
      .when(update('@alice', { allowSending: false }))
      .happened();
    const data = event?.data as Readonly<{ balance: BalanceRecord; state: object }>;
    expect(data.balance).to.include({ allowSending: false, allowReceiving: false });
    expect(data.state).to.deep.equal(state('3', 2));
  });

  it('that nobody knows is refused', () => {
    book().when(update('@nobody', {})).thenRefused('NOT_FOUND');
    book().when(remove('@nobody')).thenRefused('NOT_FOUND');
    const second = { ...of('@alice'), balanceId: partId(accountId('@alice'), 2) };
    book()
      .when({ type: 'DeleteBalance', ...second })
      .thenRefused('NOT_FOUND');
    const account = { ...of('@alice'), balanceId: idOf('account @alice') };
    book()
      .when({ type: 'DeleteBalance', ...account })
      .thenRefused('NOT_FOUND');
  });

  describe('beside the default one', () => {
    const opened = accountOpened({ alias: '@carol' }) as LedgerEvent & { type: 'AccountOpened' };
    const savings = { ...opened.data.balance, key: 'savings' };
    const withSavings = () =>
      given(...ledgerWith('BRL'), { ...opened, data: { ...opened.data, balance: savings } });

    it('is deleted when it is empty, and cannot be paid then', () => {
      const book = withSavings();
      book.when(remove('@carol'), {}, LATER).then({
        type: 'BalanceDeleted',
        data: {
          balance: { ...savings, updatedAt: LATER, deletedAt: LATER },
          state: state('0', 0),
        },
      });
      book.when(inflow('@carol#savings', '1')).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
      book.when(remove('@carol')).thenRefused('NOT_FOUND');
    });

    it('is kept while there is anything on it', () => {
      withSavings()
        .after(inflow('@carol#savings', '1'))
        .when(remove('@carol'))
        .thenRefused('BALANCE_NOT_DELETABLE');
    });
  });
});
