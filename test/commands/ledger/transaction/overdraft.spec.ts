import { expect } from 'chai';
import type { UpdateBalance } from '#commands/ledger/balance/change.ts';
import type { SentSettings } from '#commands/ledger/balance/settings.ts';
import { settingsOf } from '#commands/ledger/balance/settings.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionEvent } from '#src/events/ledger/transaction.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  idOf,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const of = { organizationId: ORGANIZATION };

const allow = (alias: string, settings: SentSettings = {}, ordinal = 1): UpdateBalance => ({
  type: 'UpdateBalance',
  ...of,
  balanceId: partId(accountId(alias), ordinal),
  changes: { settings: settingsOf({ allowOverdraft: true, ...settings }) },
});
const upTo = (overdraftLimit: string): SentSettings => ({
  overdraftLimitEnabled: true,
  overdraftLimit,
});

/** Alice owns 30 and may owe. */
const bank = (settings: SentSettings = {}) =>
  given(...ledgerWith('BRL', '@alice', '@bob')).after(
    inflow('@alice', '30'),
    inflow('@bob', '1000'),
    allow('@alice', settings),
  );

const pay = (amount: string, more: object = {}) =>
  postTransaction({ from: '@alice', to: '@bob', amount, ...more });
const repay = (amount: string, more: object = {}) =>
  postTransaction({ from: '@bob', to: '@alice', amount, ...more });
const hold = (amount: string) => pay(amount, { pending: true });
const end = (type: 'CommitTransaction' | 'CancelTransaction', transactionId: Uuid) =>
  ({ type, ...of, transactionId }) as LedgerCommand;
const revert = (transactionId: Uuid): LedgerCommand => ({
  type: 'RevertTransaction',
  ...of,
  transactionId,
});
/** The n-th transaction of a spec; the two inflows come first. */
const nth = (n: number) => nthWhole(n + 2);

/** The operations of the step. */
function operationsOf(events: readonly DomainEvent[]): readonly OperationRecord[] {
  const { transaction, stepOperations } = (events as readonly TransactionEvent[])[0]!
    .data as unknown as {
    transaction: { operations: readonly OperationRecord[] };
    stepOperations?: number;
  };
  return transaction.operations.slice(-(stepOperations ?? transaction.operations.length));
}

/** Alice's operations of the step: `DEBIT 30: 30/0 → 0/0 owes 70`. */
const alices = (events: readonly DomainEvent[]): string[] =>
  operationsOf(events)
    .filter(({ accountAlias }) => accountAlias === '@alice')
    .map(({ type, direction, balanceKey, amount, balance, balanceAfter: after }) => {
      const key = balanceKey === 'default' ? '' : ` ${balanceKey}`;
      const states = `${balance.available}/${balance.onHold} → ${after.available}/${after.onHold}`;
      const owed =
        balance.overdraftUsed === after.overdraftUsed
          ? `owes ${after.overdraftUsed}`
          : `owes ${balance.overdraftUsed} → ${after.overdraftUsed}`;
      return `${type} ${direction}${key} ${amount}: ${states} ${owed}`;
    });

describe('overdraft', () => {
  it('follows the worked example of the contract', () => {
    const book = bank();
    expect(alices(book.when(pay('100')).happened())).to.deep.equal([
      'DEBIT debit 30: 30/0 → 0/0 owes 0 → 70',
      'OVERDRAFT debit overdraft 70: 0/0 → 70/0 owes 0 → 70',
    ]);
    expect(alices(book.when(repay('50')).happened())).to.deep.equal([
      'CREDIT credit 0: 0/0 → 0/0 owes 70 → 20',
      'OVERDRAFT credit overdraft 50: 70/0 → 20/0 owes 70 → 20',
    ]);
    expect(alices(book.when(repay('50')).happened())).to.deep.equal([
      'CREDIT credit 30: 0/0 → 30/0 owes 20 → 0',
      'OVERDRAFT credit overdraft 20: 20/0 → 0/0 owes 20 → 0',
    ]);
    expect(alices(book.when(repay('1')).happened())).to.deep.equal([
      'CREDIT credit 1: 30/0 → 31/0 owes 0',
    ]);
  });

  it('is booked right after the leg it goes with, and says what asked for it', () => {
    const [event] = bank().when(pay('100')).happened();
    const { operations, source, destination } = (event as TransactionEvent).data.transaction;
    const shown = operations.map(({ accountAlias, balanceKey, origin }) =>
      [accountAlias, balanceKey, origin].join(' '),
    );
    expect(shown).to.deep.equal([
      '@alice default request',
      '@alice overdraft overdraft',
      '@bob default request',
    ]);
    expect(operations.map(({ id }) => id)).to.deep.equal([1, 2, 3].map((n) => partId(nth(1), n)));
    expect([source, destination]).to.deep.equal([['@alice'], ['@bob']]);
  });

  it('is not drawn on while there are funds, and needs none to give', () => {
    const book = bank();
    expect(alices(book.when(pay('30')).happened())).to.have.lengthOf(1);
    expect(alices(book.when(pay('1')).happened())).to.deep.equal([
      'DEBIT debit 0: 0/0 → 0/0 owes 0 → 1',
      'OVERDRAFT debit overdraft 1: 0/0 → 1/0 owes 0 → 1',
    ]);
  });

  it('has the limit at that time in the operations that change it, and in no others', () => {
    const limits = (events: readonly DomainEvent[]) =>
      operationsOf(events).map(({ overdraftLimit }) => overdraftLimit);
    const book = bank(upTo('70'));
    expect(limits(book.when(pay('10')).happened())).to.deep.equal([undefined, undefined]);
    expect(limits(book.when(pay('30')).happened())).to.deep.equal(['70', undefined, undefined]);
    book.when(allow('@alice', upTo('80.50'))).happened();
    const held = book.when(hold('5')).happened();
    expect(limits(held)).to.deep.equal(['80.5', undefined]);
    expect(limits(book.when(repay('100')).happened())).to.include('80.5');
    book.when(allow('@alice', { overdraftLimitEnabled: false })).happened();
    const unlimited = limits(book.when(pay('200')).happened());
    expect(unlimited).to.have.length(3).and.not.include('80.5');
  });

  it('of a limit is drawn on to the last digit of it, and no further', () => {
    const book = bank(upTo('70'));
    const refused = book.when(pay('100.01')).thenRefused('OVERDRAFT_LIMIT');
    expect(refused.message).to.contain('lacks 70.01 BRL, and 70 are left');
    book.when(pay('100')).happened();
    book.when(pay('0.01')).thenRefused('OVERDRAFT_LIMIT');
    book.when(repay('0.01')).happened();
    book.when(pay('0.01')).happened();
  });

  it('that is not allowed leaves funds insufficient', () => {
    bank({ allowOverdraft: false }).when(pay('31')).thenRefused('INSUFFICIENT_FUNDS');
    given(...ledgerWith('BRL', '@alice', '@bob'))
      .when(pay('1'))
      .thenRefused('INSUFFICIENT_FUNDS');
  });

  it('is drawn on by blocks as well', () => {
    const [event] = bank()
      .when({ ...pay('40'), as: 'block' })
      .happened();
    expect(alices([event!])).to.deep.equal([
      'BLOCK debit 30: 30/0 → 0/0 owes 0 → 10',
      'OVERDRAFT debit overdraft 10: 0/0 → 10/0 owes 0 → 10',
    ]);
  });

  it('is drawn on leg by leg, chained', () => {
    const legs = { from: ['@alice 20', '@alice 30', '@alice'], to: '@bob', amount: '100' };
    expect(alices(bank().when(postTransaction(legs)).happened())).to.deep.equal([
      'DEBIT debit 20: 30/0 → 10/0 owes 0',
      'DEBIT debit 10: 10/0 → 0/0 owes 0 → 20',
      'OVERDRAFT debit overdraft 20: 0/0 → 20/0 owes 0 → 20',
      'DEBIT debit 0: 0/0 → 0/0 owes 20 → 70',
      'OVERDRAFT debit overdraft 50: 20/0 → 70/0 owes 20 → 70',
    ]);
  });

  describe('of a transaction on hold', () => {
    it('is held beside the funds, counts against the limit, and goes when it is committed', () => {
      const book = bank(upTo('70'));
      expect(alices(book.when(hold('100')).happened())).to.deep.equal([
        'ON_HOLD debit 30: 30/0 → 0/30 owes 0 → 70',
        'ON_HOLD debit overdraft 70: 0/0 → 70/70 owes 0 → 70',
      ]);
      book.when(pay('1')).thenRefused('OVERDRAFT_LIMIT');
      expect(alices(book.when(end('CommitTransaction', nth(1))).happened())).to.deep.equal([
        'DEBIT debit 30: 0/30 → 0/0 owes 70',
        'DEBIT debit overdraft 70: 70/70 → 70/0 owes 70',
      ]);
    });

    it('is given back by a cancellation, by the very split it was held in', () => {
      const book = bank().after(hold('100'));
      expect(alices(book.when(end('CancelTransaction', nth(1))).happened())).to.deep.equal([
        'RELEASE credit 30: 0/30 → 30/0 owes 70 → 0',
        'RELEASE credit overdraft 70: 70/70 → 0/0 owes 70 → 0',
      ]);
    });

    it('alone holds nothing of the funds, and is given back alone', () => {
      const book = bank().after(pay('30'), hold('5'));
      expect(alices(book.when(end('CancelTransaction', nth(2))).happened())).to.deep.equal([
        'RELEASE credit 0: 0/0 → 0/0 owes 5 → 0',
        'RELEASE credit overdraft 5: 5/5 → 0/0 owes 5 → 0',
      ]);
    });

    it('that was repaid meanwhile is available when it is given back', () => {
      const book = bank().after(hold('100'), repay('50'));
      expect(alices(book.when(end('CancelTransaction', nth(1))).happened())).to.deep.equal([
        'RELEASE credit 30: 0/30 → 30/0 owes 20 → 0',
        'RELEASE credit overdraft 20: 20/70 → 0/50 owes 20 → 0',
        'CREDIT credit 50: 30/0 → 80/0 owes 0',
        'DEBIT debit overdraft 50: 0/50 → 0/0 owes 0',
      ]);
      const all = bank().after(hold('100'), repay('90'));
      expect(alices(all.when(end('CancelTransaction', nth(1))).happened())).to.deep.equal([
        'RELEASE credit 30: 20/30 → 50/0 owes 0',
        'CREDIT credit 70: 50/0 → 120/0 owes 0',
        'DEBIT debit overdraft 70: 0/70 → 0/0 owes 0',
      ]);
    });

    it('is repaid by what is committed to the account', () => {
      const book = bank().after(pay('100'), repay('50', { pending: true }));
      expect(alices(book.when(end('CommitTransaction', nth(2))).happened())).to.deep.equal([
        'CREDIT credit 0: 0/0 → 0/0 owes 70 → 20',
        'OVERDRAFT credit overdraft 50: 70/0 → 20/0 owes 70 → 20',
      ]);
    });
  });

  describe('of a transaction that is reverted', () => {
    it('is repaid first: the leg gives back all that it had moved', () => {
      const book = bank().after(pay('100'));
      expect(alices(book.when(revert(nth(1))).happened())).to.deep.equal([
        'CREDIT credit 30: 0/0 → 30/0 owes 70 → 0',
        'OVERDRAFT credit overdraft 70: 70/0 → 0/0 owes 70 → 0',
      ]);
    });

    it('is drawn again when what had repaid goes back', () => {
      const book = bank().after(pay('100'), repay('50'));
      expect(alices(book.when(revert(nth(2))).happened())).to.deep.equal([
        'DEBIT debit 0: 0/0 → 0/0 owes 20 → 70',
        'OVERDRAFT debit overdraft 50: 20/0 → 70/0 owes 20 → 70',
      ]);
    });

    it('counts what was held for it, and not the hold', () => {
      const book = bank().after(hold('100'), end('CommitTransaction', nth(1)));
      expect(alices(book.when(revert(nth(1))).happened())).to.deep.equal([
        'CREDIT credit 30: 0/0 → 30/0 owes 70 → 0',
        'OVERDRAFT credit overdraft 70: 70/0 → 0/0 owes 70 → 0',
      ]);
    });

    it('is refused beyond the limit, as any transaction', () => {
      const book = bank().after(pay('100'), repay('50'), allow('@alice', upTo('60')));
      book.when(revert(nth(2))).thenRefused('OVERDRAFT_LIMIT');
    });
  });

  describe('of several balances of one account', () => {
    const savings = (settings?: SentSettings): LedgerCommand => ({
      type: 'CreateBalance',
      ...of,
      accountId: accountId('@alice'),
      fields: {
        key: 'savings',
        ...{ allowSending: true, allowReceiving: true, direction: 'credit' },
        ...(settings && { settings: settingsOf(settings) }),
      },
    });

    it('is shown on one, and owed by each', () => {
      const book = bank().after(savings({ allowOverdraft: true, ...upTo('10') }), pay('40'));
      const both = { from: ['@alice#savings 5', '@alice'], to: '@bob', amount: '10' };
      expect(alices(book.when(postTransaction(both)).happened())).to.deep.equal([
        'DEBIT debit 0: 0/0 → 0/0 owes 10 → 15',
        'OVERDRAFT debit overdraft 5: 10/0 → 15/0 owes 10 → 15',
        'DEBIT debit savings 0: 0/0 → 0/0 owes 0 → 5',
        'OVERDRAFT debit overdraft 5: 15/0 → 20/0 owes 0 → 5',
      ]);
      const back = postTransaction({ from: '@bob', to: '@alice#savings', amount: '7' });
      expect(alices(book.when(back).happened())).to.deep.equal([
        'CREDIT credit savings 2: 0/0 → 2/0 owes 5 → 0',
        'OVERDRAFT credit overdraft 5: 20/0 → 15/0 owes 5 → 0',
      ]);
    });

    it('may pay one from the debt of another', () => {
      const book = bank().after(savings());
      const save = postTransaction({ from: '@alice', to: '@alice#savings', amount: '40' });
      expect(alices(book.when(save).happened())).to.deep.equal([
        'DEBIT debit 30: 30/0 → 0/0 owes 0 → 10',
        'OVERDRAFT debit overdraft 10: 0/0 → 10/0 owes 0 → 10',
        'CREDIT credit savings 40: 0/0 → 40/0 owes 0',
      ]);
    });

    it('keeps those that owe, or for which something is held, from being deleted', () => {
      const spend = postTransaction({ from: '@alice#savings', to: '@bob', amount: '5' });
      const held = { ...spend, request: { ...spend.request, pending: true } };
      const back = postTransaction({ from: '@bob', to: '@alice#savings', amount: '5' });
      const remove: LedgerCommand = {
        type: 'DeleteBalance',
        ...of,
        balanceId: partId(accountId('@alice'), 3),
      };
      const allowed = () => bank().after(savings({ allowOverdraft: true }));
      allowed().after(spend).when(remove).thenRefused('BALANCE_NOT_DELETABLE');
      const book = allowed().after(held, back);
      book.when(remove).thenRefused('BALANCE_NOT_DELETABLE');
      book.after(end('CancelTransaction', nth(1)));
      expect(
        book.when(postTransaction({ from: '@alice#savings', to: '@bob', amount: '5' })).happened(),
      ).to.have.lengthOf(1);
      book.when(remove).happened();
    });
  });

  describe('settings', () => {
    it('that allow it first open the balance that shows what is owed', () => {
      const events = given(...ledgerWith('BRL', '@alice'))
        .when(allow('@alice'))
        .happened();
      const [opened, updated] = events;
      expect(events).to.have.lengthOf(2);
      const { balance } = opened?.data as Extract<LedgerEvent, { type: 'BalanceCreated' }>['data'];
      expect(opened?.type).to.equal('BalanceCreated');
      expect(balance).to.deep.include({
        id: partId(accountId('@alice'), 2),
        key: 'overdraft',
        direction: 'debit',
        settings: { balanceScope: 'internal', allowOverdraft: false, overdraftLimitEnabled: false },
      });
      expect(updated).to.deep.include({ type: 'BalanceUpdated' });
      expect(updated?.data).to.deep.include({ changed: ['settings'] });
    });

    it('that allow it again open nothing more', () => {
      const book = bank().after(allow('@alice', { allowOverdraft: false }));
      expect(book.when(allow('@alice')).happened()).to.have.lengthOf(1);
      expect(book.when(allow('@alice')).happened()).to.have.lengthOf(0);
      expect(book.when(allow('@alice', upTo('5'))).happened()).to.have.lengthOf(1);
    });

    it('of a new balance that allow it open it after that one', () => {
      const events = given(...ledgerWith('BRL', '@alice'))
        .when({
          type: 'CreateBalance',
          ...of,
          accountId: accountId('@alice'),
          fields: {
            key: 'credit',
            ...{ allowSending: true, allowReceiving: true, direction: 'credit' },
            settings: settingsOf({ allowOverdraft: true }),
          },
        })
        .happened();
      const keys = events.map((event) => (event.data as { balance: { key: string } }).balance.key);
      expect(keys).to.deep.equal(['credit', 'overdraft']);
    });

    it('cannot go below what is in use', () => {
      const book = bank().after(pay('100'));
      book.when(allow('@alice', upTo('69.99'))).thenRefused('LIMIT_BELOW_USAGE');
      book.when(allow('@alice', { allowOverdraft: false })).thenRefused('LIMIT_BELOW_USAGE');
      book.when(allow('@alice', upTo('70'))).happened();
      book
        .after(repay('70'))
        .when(allow('@alice', { allowOverdraft: false }))
        .happened();
    });

    it('are none of the world outside', () => {
      bank().when(allow('@external/BRL')).thenRefused('EXTERNAL_BALANCES');
    });

    for (const [what, sent] of [
      ['an enabled limit without a number', { overdraftLimitEnabled: true }],
      ['an enabled limit of nothing', upTo('0')],
      ['an enabled limit below nothing', upTo('-1')],
      ['a limit that is not enabled', { overdraftLimit: '5' }],
    ] as const) {
      it(`are refused with ${what}`, () => {
        expect(() => settingsOf(sent))
          .to.throw()
          .with.property('refusal', 'BALANCE_SETTINGS');
      });
    }
  });

  describe('the balance that shows it', () => {
    const its = { ...of, balanceId: partId(accountId('@alice'), 2) };

    it('is nobody else’s to move, to change or to delete', () => {
      const book = bank();
      const spend = postTransaction({ from: '@alice#overdraft', to: '@bob', amount: '1' });
      book.when(spend).thenRefused('INTERNAL_BALANCE');
      const give = postTransaction({ from: '@bob', to: '@alice#Overdraft', amount: '1' });
      book.when(give).thenRefused('INTERNAL_BALANCE');
      book.when({ ...give, as: 'annotation' }).thenRefused('INTERNAL_BALANCE');
      const changes = { allowSending: false };
      book.when({ type: 'UpdateBalance', ...its, changes }).thenRefused('INTERNAL_NOT_EDITABLE');
      book.when({ type: 'DeleteBalance', ...its }).thenRefused('INTERNAL_NOT_DELETABLE');
    });

    it('does not exist before, and goes with the account', () => {
      const spend = postTransaction({ from: '@alice#overdraft', to: '@bob', amount: '1' });
      given(...ledgerWith('BRL', '@alice', '@bob'))
        .when(spend)
        .thenRefused('ACCOUNTS_NOT_ELIGIBLE');
      const gone: LedgerCommand = { type: 'DeleteAccount', ...of, accountId: accountId('@alice') };
      const book = bank().after(pay('31'));
      book.when(gone).thenRefused('BALANCE_BLOCKS_DELETION');
      const [event] = book.after(repay('1')).when(gone).happened();
      const { balances } = event?.data as { balances: readonly { key: string }[] };
      expect(balances.map(({ key }) => key)).to.deep.equal(['default', 'overdraft']);
    });
  });

  it('is unknown to those who never had it', () => {
    const changes = { settings: settingsOf({}) };
    const balanceId = partId(idOf('nobody'), 1);
    bank()
      .when({ type: 'UpdateBalance', ...of, balanceId, changes })
      .thenRefused('NOT_FOUND');
  });
});
