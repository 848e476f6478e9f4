import { expect } from 'chai';
import type { CreateBalance } from '#commands/ledger/balance/create.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import { booked, posted } from '#test/support/booked.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const add = (
  alias: string,
  key: string,
  fields: Partial<CreateBalance['fields']> = {},
): CreateBalance => ({
  type: 'CreateBalance',
  organizationId: ORGANIZATION,
  accountId: accountId(alias),
  fields: { key, allowSending: true, allowReceiving: true, direction: 'credit', ...fields },
});
const remove = (alias: string, ordinal: number): LedgerCommand => ({
  type: 'DeleteBalance',
  organizationId: ORGANIZATION,
  balanceId: partId(accountId(alias), ordinal),
});

const bank = () => given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', '100'));

describe('a further balance', () => {
  it('is a part of its account, empty, and says what it may do', () => {
    const { account, balance } = accountOpened({ alias: '@alice' }).data as {
      account: AccountRecord;
      balance: BalanceRecord;
    };
    bank()
      .when(add('@alice', 'savings', { allowSending: false, direction: 'debit' }), {}, LATER)
      .then({
        type: 'BalanceCreated',
        data: {
          balance: {
            ...balance,
            id: partId(account.id, 2),
            key: 'savings',
            allowSending: false,
            direction: 'debit',
            createdAt: LATER,
            updatedAt: LATER,
          },
        },
      });
  });

  it('takes part in transactions, also with the other balances of its account', () => {
    const book = bank().after(add('@alice', 'savings'));
    const save = postTransaction({ from: '@alice', to: '@alice#Savings', amount: '30' });
    expect(booked(book.when(save).happened())).to.deep.equal([
      'DEBIT @alice 30: 100/0 v1 → 70/0 v2',
      'CREDIT @alice#savings 30: 0/0 v0 → 30/0 v1',
    ]);
    const request = { from: ['@alice#savings 10', '@alice'], to: '@bob', amount: '15' };
    expect(booked(book.when(postTransaction(request)).happened())).to.deep.equal([
      'DEBIT @alice 5: 70/0 v2 → 65/0 v3',
      'DEBIT @alice#savings 10: 30/0 v1 → 20/0 v2',
      'CREDIT @bob 15: 0/0 v0 → 15/0 v1',
    ]);
  });

  it('is booked in byte order of its key, whatever a key is made of', () => {
    const keys = ['\u{1f4b0}', '￰', 'b', 'a'];
    const book = bank().after(...keys.map((key) => add('@bob', key)));
    const to = keys.map((key) => `@bob#${key} 25%`);
    const pay = postTransaction({ from: '@alice', to, amount: '4' });
    const { operations } = posted(book.when(pay).happened());
    expect(operations.map(({ balanceKey }) => balanceKey)).to.deep.equal([
      'default',
      'a',
      'b',
      '￰',
      '\u{1f4b0}',
    ]);
  });

  it('of direction debit grows on the other side, and owes nothing more than it has', () => {
    const book = bank().after(add('@alice', 'cost', { direction: 'debit' }));
    const spend = postTransaction({ from: '@alice#cost', to: '@bob', amount: '30' });
    expect(booked(book.when(spend).happened())).to.deep.equal([
      'DEBIT @alice#cost 30: 0/0 v0 → 30/0 v1',
      'CREDIT @bob 30: 0/0 v0 → 30/0 v1',
    ]);
    const back = (amount: string) => postTransaction({ from: '@bob', to: '@alice#cost', amount });
    book.when(back('30.01')).thenRefused('INSUFFICIENT_FUNDS');
    book.when(back('30')).happened();
  });

  it('is refused under a key that is taken, or kept for what an account owes', () => {
    const book = bank().after(add('@alice', 'savings'));
    book.when(add('@alice', 'savings')).thenRefused('KEY_TAKEN');
    book.when(add('@alice', 'default')).thenRefused('KEY_TAKEN');
    book.when(add('@alice', 'overdraft')).thenRefused('KEY_RESERVED');
    book.when(add('@bob', 'savings')).happened();
  });

  it('is refused to accounts that nobody knows, and to the world outside', () => {
    bank().when(add('@nobody', 'savings')).thenRefused('NOT_FOUND');
    bank().when(add('@external/BRL', 'savings')).thenRefused('EXTERNAL_BALANCES');
  });

  it('never takes the id of one that was deleted', () => {
    const book = bank().after(add('@alice', 'a'), add('@alice', 'b'), remove('@alice', 3));
    const [event] = book.when(add('@alice', 'b')).happened();
    const { balance } = event?.data as { balance: BalanceRecord };
    expect(balance.id).to.equal(partId(accountId('@alice'), 4));
  });

  it('goes with its account, which cannot go while it holds anything', () => {
    const gone: LedgerCommand = {
      type: 'DeleteAccount',
      organizationId: ORGANIZATION,
      accountId: accountId('@bob'),
    };
    const book = bank().after(add('@bob', 'savings'), inflow('@bob#savings', '1'));
    book.when(gone).thenRefused('BALANCE_BLOCKS_DELETION');
    const back = postTransaction({ from: '@bob#savings', to: '@alice', amount: '1' });
    const [event] = book.after(back).when(gone, {}, LATER).happened();
    const { balances } = event?.data as { balances: readonly BalanceRecord[] };
    expect(balances.map(({ key, deletedAt }) => [key, deletedAt])).to.deep.equal([
      ['default', LATER],
      ['savings', LATER],
    ]);
  });

  it('is refused when its account could not be deleted any more in one event', () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`key ${n}`, '鍵'.repeat(1300)]),
    );
    const rich = accountOpened({ alias: '@rich', metadata });
    let book = given(...ledgerWith('BRL'), rich);
    let added = 0;
    for (; added < 500; added += 1) {
      try {
        book = book.after(add('@rich', `key${added}`));
      } catch {
        break;
      }
    }
    expect(added).to.be.within(150, 250);
    book.when(add('@rich', 'one more')).thenRefused('TOO_LARGE');
    const more = { name: 'x'.repeat(256) };
    const update = { organizationId: ORGANIZATION, accountId: accountId('@rich'), changes: more };
    book.when({ type: 'UpdateAccount', ...update }).happened();
    const [event] = book.when({ type: 'DeleteAccount', ...update }, {}, LATER).happened();
    expect(Buffer.byteLength(JSON.stringify(event))).to.be.below(900 * 1024);
  });
});
