import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { CloseAccount } from '#commands/ledger/account/close.ts';
import type { UpdateAccount } from '#commands/ledger/account/update.ts';
import { expect } from 'chai';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  createAccount,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { NOW, nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const close = (alias: string): CloseAccount => ({
  type: 'CloseAccount',
  organizationId: ORGANIZATION,
  accountId: accountId(alias),
});
const update = (alias: string, changes: UpdateAccount['changes']): UpdateAccount => ({
  type: 'UpdateAccount',
  organizationId: ORGANIZATION,
  accountId: accountId(alias),
  changes,
});
const about = (type: 'CommitTransaction' | 'CancelTransaction' | 'RevertTransaction', n: number) =>
  ({ type, organizationId: ORGANIZATION, transactionId: nthWhole(n) }) as const;
const recordOf = (alias: string, changes: Partial<AccountRecord> = {}): AccountRecord => ({
  ...(accountOpened({ alias }).data as { account: AccountRecord }).account,
  ...changes,
});

describe('account closing', () => {
  const book = () => given(...ledgerWith('BRL', '@alice', '@bob'));
  const pay = postTransaction({ from: '@alice', to: '@bob', amount: '5' });
  const hold = postTransaction({ from: '@alice', to: '@bob', amount: '5', pending: true });

  it('says when, and leaves everything else as it was', () => {
    book()
      .when(close('@alice'), {}, LATER)
      .then({
        type: 'AccountClosed',
        data: { account: recordOf('@alice', { closedAt: LATER, updatedAt: LATER }) },
      });
  });

  it('happens to an account that is blocked as well', () => {
    const [event] = book()
      .after(update('@alice', { blocked: true }))
      .when(close('@alice'))
      .happened();
    expect(event?.data).to.have.deep.nested.include({
      'account.blocked': true,
      'account.closedAt': NOW,
    });
  });

  it('is refused for what is not there, for the world outside, and twice', () => {
    book().when(close('@nobody')).thenRefused('NOT_FOUND');
    book().when(close('@external/BRL')).thenRefused('EXTERNAL_PROTECTED');
    const closed = book().after(close('@alice'));
    closed.when(close('@alice')).thenRefused('CLOSED_ALREADY');
  });

  it('waits until nothing is left, and then until nothing is on hold', () => {
    const filled = book().after(inflow('@alice', '6'), hold);
    filled.when(close('@alice')).thenRefused('BALANCE_LEFT');
    const held = filled.after(
      postTransaction({ from: '@alice', to: '@external/BRL', amount: '1' }),
    );
    held.when(close('@alice')).thenRefused('HOLDS_PENDING');
    held.after(about('CommitTransaction', 2)).when(close('@alice')).happened();
  });

  it('does not wait for what is to come: that is refused then, and can be cancelled', () => {
    const closed = book().after(inflow('@alice', '5'), hold, close('@bob'));
    closed.when(about('CommitTransaction', 2)).thenRefused('ACCOUNT_CLOSED');
    closed.when(about('CancelTransaction', 2)).happened();
  });

  describe('afterwards', () => {
    const emptied = () =>
      book().after(
        inflow('@alice', '5'),
        pay,
        close('@alice'),
        postTransaction({ from: '@bob', to: '@external/BRL', amount: '2' }),
      );

    it('nothing moves the account: not in, not out, not on hold, and no mirror', () => {
      for (const movement of [inflow('@alice', '1'), pay, hold]) {
        const { details } = emptied().when(movement).thenRefused('ACCOUNT_CLOSED');
        expect(details.findings?.[0]).to.include({ message: 'is closed', value: '@alice' });
      }
      emptied().when(about('RevertTransaction', 2)).thenRefused('ACCOUNT_CLOSED');
    });

    it('that is said after another asset, and before a block, a side and missing funds', () => {
      const dollars = [
        ...ledgerWith('BRL', '@alice'),
        accountOpened({ alias: '@usd', assetCode: 'USD' }),
        accountOpened({ alias: '@blocked', blocked: true }),
        accountOpened({ alias: '@silent', allowSending: false }),
      ];
      const asked = (other: string) =>
        postTransaction({ from: [`${other} 1`, '@alice'], to: '@external/BRL', amount: '2' });
      const ended = given(...dollars).after(close('@alice'));
      ended.when(asked('@usd')).thenRefused('ASSET_NOT_FOUND');
      ended.when(asked('@blocked')).thenRefused('ACCOUNT_CLOSED');
      ended.when(asked('@silent')).thenRefused('ACCOUNT_CLOSED');
    });

    it('its words can still be changed, and it stays closed', () => {
      const again = emptied().after(update('@alice', { metadata: { why: 'moved' } }));
      const [event] = again.when(update('@alice', { blocked: true }), {}, LATER).happened();
      expect(event?.data).to.deep.nested.include({
        'account.metadata': { why: 'moved' },
        'account.blocked': true,
        'account.closedAt': NOW,
      });
      again.when(inflow('@alice', '1')).thenRefused('ACCOUNT_CLOSED');
    });

    it('its alias stays taken until it is deleted', () => {
      const again = createAccount({ alias: '@alice' });
      const remove = { ...close('@alice'), type: 'DeleteAccount' } as const;
      emptied().when(again).thenRefused('ALIAS_TAKEN');
      emptied().after(remove).when(again).happened();
    });

    it('a snapshot knows it', () => {
      const state = ledgerDecider.initialState();
      const account = recordOf('@alice', { closedAt: NOW });
      const events: LedgerEvent[] = [
        ...ledgerWith('BRL', '@alice', '@bob'),
        { type: 'AccountClosed', data: { account } },
      ];
      events.forEach((event, n) => ledgerDecider.evolve(state, event, n));
      const thawed = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state));
      expect(thawed).to.deep.equal(state);
      expect(thawed.book.account('@alice')).to.include({ closed: true, revision: 5 });
      expect(thawed.book.account('@bob')).to.include({ closed: false });
    });
  });
});
