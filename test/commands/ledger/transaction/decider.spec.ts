import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { RequestedLeg } from '#commands/ledger/transaction/commands.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { booked, posted } from '#test/support/booked.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  externalOpened,
  idOf,
  inflow,
  LEDGER,
  ledgerWith,
  leg,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { NOW, nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);

const LAST_OF_NOW = '2026-01-05T10:00:00.000999Z' as Instant;
const MILLISECOND_LATER = '2026-01-05T10:00:00.001000Z' as Instant;
const LARGEST = '9'.repeat(30);

/** A ledger in BRL; alice owns 500 and bob 1000, carol and dave nothing. */
const bank = () =>
  given(...ledgerWith('BRL', '@alice', '@bob', '@carol', '@dave')).after(
    inflow('@alice', '500'),
    inflow('@bob', '1000'),
  );

const pay = (amount: string, changes: Partial<Parameters<typeof postTransaction>[0]> = {}) =>
  postTransaction({ from: '@alice', to: '@bob', amount, ...changes });

const book = (...request: Parameters<typeof postTransaction>): string[] =>
  booked(
    bank()
      .when(postTransaction(...request))
      .happened(),
  );

describe('transaction', () => {
  describe('follows the worked examples of the contract:', () => {
    it('an inflow comes from the world outside', () => {
      expect(
        booked(
          given(...ledgerWith('BRL', '@alice'))
            .when(inflow('@alice', '500'))
            .happened(),
        ),
      ).to.deep.equal([
        'CREDIT @alice 500: 0/0 v0 → 500/0 v1',
        'DEBIT @external/BRL 500: 0/0 v0 → 500/0 v1',
      ]);
    });

    it('two sources, one of them with what remains, pay two destinations by shares', () => {
      const request = {
        from: ['@alice 120.04', '@bob'],
        to: ['@carol 30%', '@dave 70%'],
        amount: '300.10',
      };
      expect(book(request)).to.deep.equal([
        'DEBIT @alice 120.04: 500/0 v1 → 379.96/0 v2',
        'DEBIT @bob 180.06: 1000/0 v1 → 819.94/0 v2',
        'CREDIT @carol 90.03: 0/0 v0 → 90.03/0 v1',
        'CREDIT @dave 210.07: 0/0 v0 → 210.07/0 v1',
      ]);
    });

    it('an outflow goes back to the world outside', () => {
      expect(book({ from: '@alice', to: '@external/BRL', amount: '40.03' })).to.deep.equal([
        'DEBIT @alice 40.03: 500/0 v1 → 459.97/0 v2',
        'CREDIT @external/BRL 40.03: 1500/0 v2 → 1459.97/0 v3',
      ]);
    });

    it('shares that fall short of the value are not topped up', () => {
      bank()
        .when(pay('300.10', { to: ['@carol 30%', '@dave 69%'] }))
        .thenRefused('TOTALS_DIFFER');
    });

    it('a source gives no more than it has', () => {
      bank().when(pay('600')).thenRefused('INSUFFICIENT_FUNDS');
    });
  });

  it('records the whole transaction', () => {
    const routeId = idOf('route');
    const rate = { from: 'BRL', to: 'USD', value: '5.1', externalId: 'R-1' };
    const facts = {
      description: 'Rent',
      code: 'inv-77',
      chartOfAccountsGroupName: 'HOUSING',
      route: 'rent',
      routeId,
      metadata: { invoice: '77' },
    };
    const legFacts = {
      description: 'January',
      chartOfAccounts: '1.2',
      route: 'in',
      routeId,
      rate,
      metadata: { month: 1 },
    };
    const id = nthWhole(3); // Two inflows went before.
    const own = { origin: 'request', amount: '12.5', balanceKey: 'default' } as const;
    const state = { onHold: '0', overdraftUsed: '0' };
    const [alice, bob] = [accountId('@alice'), accountId('@bob')];

    bank()
      .when(pay('12.50', { ...facts, to: [leg('@bob 12.50', 'BRL', legFacts)] }))
      .then({
        type: 'TransactionPosted',
        data: {
          transaction: {
            id,
            organizationId: ORGANIZATION,
            ledgerId: LEDGER,
            ...facts,
            status: 'APPROVED',
            amount: '12.5',
            assetCode: 'BRL',
            source: ['@alice'],
            destination: ['@bob'],
            operations: [
              {
                id: partId(id, 1),
                type: 'DEBIT',
                direction: 'debit',
                ...own,
                accountId: alice,
                accountAlias: '@alice',
                balanceId: partId(alice, 1),
                balance: { ...state, available: '500', version: 1 },
                balanceAfter: { ...state, available: '487.5', version: 2 },
              },
              {
                id: partId(id, 2),
                type: 'CREDIT',
                direction: 'credit',
                ...own,
                accountId: bob,
                accountAlias: '@bob',
                balanceId: partId(bob, 1),
                balance: { ...state, available: '1000', version: 1 },
                balanceAfter: { ...state, available: '1012.5', version: 2 },
                ...legFacts,
              },
            ],
            createdAt: NOW,
            updatedAt: NOW,
          },
        },
      });
  });

  it('leaves out what nobody said, rather than record it empty', () => {
    const [event] = bank().when(pay('1')).happened();
    expect(JSON.stringify(event)).not.to.match(/null|undefined|""|\{\}/);
    expect(posted([event!])).not.to.have.any.keys('description', 'metadata', 'code', 'route');
  });

  it('leaves the description of a leg out when it is the one of the transaction', () => {
    const to = [leg('@carol 1', 'BRL', { description: 'own' }), '@dave'];
    const { operations } = posted(
      bank()
        .when(pay('3', { description: 'common', to }))
        .happened(),
    );
    const told = operations.map(({ accountAlias, description }) => [accountAlias, description]);
    expect(told).to.deep.equal([
      ['@alice', undefined],
      ['@carol', 'own'],
      ['@dave', undefined],
    ]);
  });

  it('lists aliases in request order, one per leg, also of a leg that moves nothing', () => {
    const { source, destination } = posted(
      bank()
        .when(pay('3', { from: ['@bob 1', '@alice 2'], to: ['@dave 2', '@carol 1', '@dave'] }))
        .happened(),
    );
    expect(source).to.deep.equal(['@bob', '@alice']);
    expect(destination).to.deep.equal(['@dave', '@carol', '@dave']);
  });

  describe('value', () => {
    for (const amount of ['0', '-1', '0.00', '-0', '0e5']) {
      it(`is refused as ${amount}`, () => {
        bank().when(pay(amount)).thenRefused('VALUE_NOT_POSITIVE');
      });
    }

    it('is refused when it is absent, which counts as 0', () => {
      bank()
        .when(postTransaction({ from: '@alice', to: '@bob' }))
        .thenRefused('VALUE_NOT_POSITIVE');
    });

    it('is refused when a leg has none, on either side', () => {
      const refusal = bank()
        .when(pay('1', { to: ['@bob 1', '@carol 0'] }))
        .thenRefused('VALUE_NOT_POSITIVE');
      expect(refusal.details.findings?.[0]?.location).to.equal(
        'send.distribute.to[1].amount.value',
      );
      bank()
        .when(pay('1', { from: ['@alice 2', '@carol -1'] }))
        .thenRefused('VALUE_NOT_POSITIVE');
    });

    it('equals itself with other zeros', () => {
      expect(book({ from: '@alice 100.00', to: '@bob 1e2', amount: '0100' })).to.deep.equal([
        'DEBIT @alice 100: 500/0 v1 → 400/0 v2',
        'CREDIT @bob 100: 1000/0 v1 → 1100/0 v2',
      ]);
    });

    it('may have thirty fractional digits', () => {
      const tiny = '0.' + '0'.repeat(29) + '1';
      expect(book({ from: '@alice', to: '@bob', amount: tiny })).to.deep.equal([
        `DEBIT @alice ${tiny}: 500/0 v1 → 499.${'9'.repeat(30)}/0 v2`,
        `CREDIT @bob ${tiny}: 1000/0 v1 → 1000.${'0'.repeat(29)}1/0 v2`,
      ]);
    });
  });

  describe('totals', () => {
    for (const [what, changes] of [
      ['sources fall short', { from: ['@alice 9'] }],
      ['sources exceed', { from: ['@alice 11'] }],
      ['destinations fall short', { to: ['@bob 9.99'] }],
      ['destinations exceed by the least there is', { to: ['@bob 10.' + '0'.repeat(29) + '1'] }],
      ['both sides agree with each other only', { from: ['@alice 9'], to: ['@bob 9'] }],
      ['a third is not three tenths', { to: ['@bob 33%', '@carol 33%', '@dave 33%'] }],
    ] as const) {
      it(`are refused when ${what}`, () => {
        bank().when(pay('10', changes)).thenRefused('TOTALS_DIFFER');
      });
    }
  });

  describe('share', () => {
    it('of a share is exact', () => {
      const to = ['@carol 50% of 50%', '@dave'];
      expect(book({ from: '@alice', to, amount: '300.10' })).to.deep.equal([
        'DEBIT @alice 300.1: 500/0 v1 → 199.9/0 v2',
        'CREDIT @carol 75.025: 0/0 v0 → 75.025/0 v1',
        'CREDIT @dave 225.075: 0/0 v0 → 225.075/0 v1',
      ]);
    });

    it('is always of the whole value, not of what is left', () => {
      const to = ['@carol 50%', '@dave 50%'];
      expect(book({ from: '@alice', to, amount: '10' }).slice(1)).to.deep.equal([
        'CREDIT @carol 5: 0/0 v0 → 5/0 v1',
        'CREDIT @dave 5: 0/0 v0 → 5/0 v1',
      ]);
    });

    it('of 0 % of it counts as of all of it', () => {
      const to = ['@carol 10% of 0%', '@dave 90% of 100%'];
      expect(book({ from: '@alice', to, amount: '10' }).slice(1)).to.deep.equal([
        'CREDIT @carol 1: 0/0 v0 → 1/0 v1',
        'CREDIT @dave 9: 0/0 v0 → 9/0 v1',
      ]);
    });

    it('of the least there is adds four digits, and the balance keeps them', () => {
      const least = '0.' + '0'.repeat(29) + '1';
      const part = '0.' + '0'.repeat(33) + '1';
      const rest = '0.' + '0'.repeat(30) + '9999';
      const to = ['@carol 1% of 1%', '@dave'];
      expect(book({ from: '@alice', to, amount: least }).slice(1)).to.deep.equal([
        `CREDIT @carol ${part}: 0/0 v0 → ${part}/0 v1`,
        `CREDIT @dave ${rest}: 0/0 v0 → ${rest}/0 v1`,
      ]);
    });
  });

  describe('remaining', () => {
    it('is worked out after the other legs, wherever it stands', () => {
      const to = ['@carol', '@dave 60%', '@bob 1'];
      expect(book({ from: '@alice', to, amount: '10' }).slice(1)).to.deep.equal([
        'CREDIT @bob 1: 1000/0 v1 → 1001/0 v2',
        'CREDIT @carol 3: 0/0 v0 → 3/0 v1',
        'CREDIT @dave 6: 0/0 v0 → 6/0 v1',
      ]);
    });

    it('of zero books nothing, and its balance keeps its version', () => {
      const story = bank();
      expect(booked(story.when(pay('10', { to: ['@bob 10', '@carol'] })).happened())).to.deep.equal(
        ['DEBIT @alice 10: 500/0 v1 → 490/0 v2', 'CREDIT @bob 10: 1000/0 v1 → 1010/0 v2'],
      );
      expect(booked(story.when(pay('1', { to: '@carol' })).happened())).to.deep.equal([
        'DEBIT @alice 1: 490/0 v2 → 489/0 v3',
        'CREDIT @carol 1: 0/0 v0 → 1/0 v1',
      ]);
    });

    it('of zero still names an account that must exist and be open to it', () => {
      bank()
        .when(pay('10', { to: ['@bob 10', '@nobody'] }))
        .thenRefused('ACCOUNTS_NOT_ELIGIBLE');
      bank()
        .when(pay('10', { to: ['@bob 10', '@alice'] }))
        .thenRefused('ACCOUNT_ON_BOTH_SIDES');
    });

    it('below zero is refused', () => {
      bank()
        .when(pay('10', { to: ['@bob 11', '@carol'] }))
        .thenRefused('TOTALS_DIFFER');
    });

    it('is refused twice on one side, and taken once on each', () => {
      bank()
        .when(pay('10', { to: ['@bob', '@carol'] }))
        .thenRefused('TOTALS_DIFFER');
      bank()
        .when(pay('10', { from: ['@alice', '@bob'], to: '@carol' }))
        .thenRefused('TOTALS_DIFFER');
      bank()
        .when(pay('10', { from: ['@alice'], to: ['@bob'] }))
        .happened();
    });
  });

  describe('leg', () => {
    const quantities: readonly (readonly [what: string, RequestedLeg])[] = [
      ['no quantity', { accountAlias: '@bob' }],
      ['an empty remainder', { accountAlias: '@bob', remaining: '' }],
      ['an amount and a share', leg('@bob 1', 'BRL', { share: { percentage: 100 } })],
      ['an amount and what remains', leg('@bob 1', 'BRL', { remaining: 'remaining' })],
      ['a share and what remains', leg('@bob 100%', 'BRL', { remaining: 'remaining' })],
    ];
    for (const [what, wrong] of quantities) {
      it(`is refused with ${what}`, () => {
        bank()
          .when(pay('1', { to: [wrong] }))
          .thenRefused('LEG_QUANTITY');
        bank()
          .when(pay('1', { from: [{ ...wrong, accountAlias: '@alice' }] }))
          .thenRefused('LEG_QUANTITY');
      });
    }

    it('is refused when it names another asset than the transaction', () => {
      const { details } = bank()
        .when(pay('1', { to: [leg('@bob 1', 'USD')] }))
        .thenRefused('ASSET_NOT_FOUND');
      expect(details.findings?.[0]).to.include({
        location: 'send.distribute.to[0].amount.asset',
        value: 'USD',
      });
    });

    it('names its balance without letter case', () => {
      expect(book({ from: '@alice#DEFAULT', to: '@bob#Default', amount: '1' })).to.have.length(2);
    });

    it('is refused when the account has no such balance', () => {
      bank()
        .when(pay('1', { from: '@alice#savings' }))
        .thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    });

    it('names its account by alias, with letter case, and not by an id that is no alias', () => {
      for (const to of ['@Bob', '@nobody', accountId('@bob'), 'bob', '']) {
        const wrong = { accountAlias: to, remaining: 'remaining' };
        const { details } = bank()
          .when(pay('1', { to: [wrong] }))
          .thenRefused('ACCOUNTS_NOT_ELIGIBLE');
        expect(details.findings?.[0]).to.include({
          location: 'send.distribute.to[0].accountAlias',
          value: to,
        });
      }
    });
  });

  describe('account on both sides', () => {
    it('is refused at any position', () => {
      bank()
        .when(pay('3', { from: ['@alice 1', '@bob 2'], to: ['@carol 1', '@dave 1', '@alice 1'] }))
        .thenRefused('ACCOUNT_ON_BOTH_SIDES');
    });

    it('is refused under a key written in another case', () => {
      bank()
        .when(pay('1', { from: '@alice', to: '@alice#DEFAULT' }))
        .thenRefused('ACCOUNT_ON_BOTH_SIDES');
    });

    it('is another one under another key, which then has to exist', () => {
      bank()
        .when(pay('1', { from: '@alice', to: '@alice#savings' }))
        .thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    });

    it('is refused for the world outside as well', () => {
      bank()
        .when(pay('1', { from: '@external/BRL', to: '@external/BRL' }))
        .thenRefused('ACCOUNT_ON_BOTH_SIDES');
    });
  });

  describe('account twice on one side', () => {
    it('gets one operation per leg, chained in request order', () => {
      const to = ['@dave 1', '@carol 5', '@dave 3', '@dave'];
      expect(book({ from: ['@alice 4', '@bob 4', '@alice 2'], to, amount: '10' })).to.deep.equal([
        'DEBIT @alice 4: 500/0 v1 → 496/0 v2',
        'DEBIT @alice 2: 496/0 v2 → 494/0 v3',
        'DEBIT @bob 4: 1000/0 v1 → 996/0 v2',
        'CREDIT @carol 5: 0/0 v0 → 5/0 v1',
        'CREDIT @dave 1: 0/0 v0 → 1/0 v1',
        'CREDIT @dave 3: 1/0 v1 → 4/0 v2',
        'CREDIT @dave 1: 4/0 v2 → 5/0 v3',
      ]);
    });

    it('gives together no more than it has', () => {
      bank()
        .when(pay('501', { from: ['@alice 250', '@alice 251'] }))
        .thenRefused('INSUFFICIENT_FUNDS');
      expect(book({ from: ['@alice 250', '@alice 250'], to: '@bob', amount: '500' })).to.include(
        'DEBIT @alice 250: 250/0 v2 → 0/0 v3',
      );
    });
  });

  it('books in byte order of the aliases, whatever the side', () => {
    const aliases = [
      'a',
      'B',
      '_',
      '@z',
      '@Z',
      '9',
      '-',
      'A-1',
      'A:1',
      'A1',
      'a1',
      '@external/BRL',
    ];
    const names = aliases.filter((alias) => !alias.includes('/'));
    const to = names.map((alias) => `${alias} 1`);
    const { operations } = posted(
      given(...ledgerWith('BRL', ...names))
        .when(postTransaction({ from: '@external/BRL', to, amount: String(names.length) }))
        .happened(),
    );
    const inBytes = aliases.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(operations.map(({ accountAlias }) => accountAlias)).to.deep.equal(inBytes);
    expect(operations.map(({ id }) => id)).to.deep.equal(
      inBytes.map((_, n) => partId(nthWhole(1), n + 1)),
    );
  });

  it('moves money from five hundred sources to five hundred destinations at once', () => {
    const names = (what: string) =>
      Array.from({ length: 500 }, (_, n) => `@${what}-${String(n).padStart(3, '0')}`);
    const [payers, payees] = [names('payer'), names('payee')];
    const cents = (alias: string): string => `${alias} 0.01`;
    const ledger = ledgerWith('BRL', ...payers, ...payees);
    const fund = postTransaction({ from: '@external/BRL', to: payers.map(cents), amount: '5' });
    const swap = { from: payers.map(cents), to: payees.map(cents).toReversed(), amount: '5' };

    const story = given(...ledger).after(fund);
    const { operations } = posted(story.when(postTransaction(swap)).happened());

    expect(operations).to.have.length(1_000);
    expect(new Set(operations.map(({ id }) => id)).size).to.equal(1_000);
    expect(operations.map(({ accountAlias }) => accountAlias)).to.deep.equal([
      ...payees,
      ...payers,
    ]);
    for (const { type, balanceAfter } of operations) {
      expect(balanceAfter.available).to.equal(type === 'CREDIT' ? '0.01' : '0');
    }
    story.when(postTransaction(swap)).thenRefused('INSUFFICIENT_FUNDS');
  });

  describe('funds', () => {
    it('may be spent to the last digit', () => {
      expect(book({ from: '@alice', to: '@bob', amount: '500' })[0]).to.equal(
        'DEBIT @alice 500: 500/0 v1 → 0/0 v2',
      );
    });

    it('are refused by the least there is above them, in words clients look for', () => {
      const refusal = bank()
        .when(pay('500.' + '0'.repeat(29) + '1'))
        .thenRefused('INSUFFICIENT_FUNDS');
      expect(refusal.message.toLowerCase()).to.include('insufficient').and.to.include('funds');
    });

    it('that arrive in a transaction cannot be spent in the same one by another', () => {
      bank()
        .when(pay('10', { from: ['@carol 5', '@alice 5'], to: ['@bob 10'] }))
        .thenRefused('INSUFFICIENT_FUNDS');
    });
  });

  describe('world outside', () => {
    it('falls below zero when more goes out than came in', () => {
      const world = accountOpened({ alias: '@world', type: 'external', holderId: null });
      const story = given(...ledgerWith('BRL', '@alice'), world).after(
        postTransaction({ from: '@world', to: '@alice', amount: '7' }),
      );
      const outflow = postTransaction({ from: '@alice', to: '@external/BRL', amount: '7' });
      expect(booked(story.when(outflow).happened())).to.deep.equal([
        'DEBIT @alice 7: 7/0 v1 → 0/0 v2',
        'CREDIT @external/BRL 7: 0/0 v0 → -7/0 v1',
      ]);
    });

    it('rises by a debit and falls by a credit', () => {
      expect(book({ from: '@external/BRL', to: '@alice', amount: '1' })).to.deep.equal([
        'CREDIT @alice 1: 500/0 v1 → 501/0 v2',
        'DEBIT @external/BRL 1: 1500/0 v2 → 1501/0 v3',
      ]);
    });
  });

  describe('a balance', () => {
    it('holds thirty digits and not one unit more', () => {
      const full = given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', LARGEST));
      full.when(inflow('@alice', '1')).thenRefused('NUMBER_OUT_OF_RANGE');
      const story = given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', LARGEST));
      story.when(inflow('@bob', '1')).thenRefused('NUMBER_OUT_OF_RANGE'); // The world is full.
    });

    it('of a source may be full: it only falls', () => {
      const story = given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', LARGEST));
      expect(booked(story.when(pay(LARGEST)).happened())).to.deep.equal([
        `DEBIT @alice ${LARGEST}: ${LARGEST}/0 v1 → 0/0 v2`,
        `CREDIT @bob ${LARGEST}: 0/0 v0 → ${LARGEST}/0 v1`,
      ]);
    });
  });

  describe('what an account permits', () => {
    const closed = (changes: object): LedgerEvent[] => [
      ...ledgerWith('BRL', '@alice'),
      accountOpened({ alias: '@carol', ...changes }),
    ];
    const toCarol = inflow('@carol', '1');
    const fromCarol = postTransaction({ from: '@carol', to: '@alice', amount: '1' });

    it('is nothing while it is blocked, on either side', () => {
      given(...closed({ blocked: true }))
        .when(toCarol)
        .thenRefused('ACCOUNT_BLOCKED');
      given(...closed({ blocked: true }))
        .when(fromCarol)
        .thenRefused('ACCOUNT_BLOCKED');
    });

    it('is to receive when it may not send', () => {
      const story = given(...closed({ allowSending: false })).after(toCarol);
      story.when(fromCarol).thenRefused('SIDE_NOT_PERMITTED');
    });

    it('is to send when it may not receive', () => {
      given(...closed({ allowReceiving: false }))
        .when(toCarol)
        .thenRefused('SIDE_NOT_PERMITTED');
      given(...closed({ allowReceiving: false }))
        .when(fromCarol)
        .thenRefused('INSUFFICIENT_FUNDS'); // It may; it has nothing.
    });
  });

  describe('date', () => {
    it('of the client is when it was created, and changes nothing else', () => {
      const transactionDate = '2025-12-31T23:59:59.999999Z' as Instant;
      const transaction = posted(bank().when(pay('1', { transactionDate })).happened());
      expect(transaction).to.include({ createdAt: transactionDate, updatedAt: NOW });
    });

    it('may be the present millisecond, and not a microsecond more', () => {
      bank()
        .when(pay('1', { transactionDate: LAST_OF_NOW }))
        .happened();
      bank()
        .when(pay('1', { transactionDate: MILLISECOND_LATER }))
        .thenRefused('DATE_IN_FUTURE');
    });
  });

  for (const what of ['fees', 'tracer'] as const) {
    it(`cannot skip ${what}: the ledger does not allow it`, () => {
      bank()
        .when(pay('1', { skip: { [what]: true } }))
        .thenRefused('SKIP_NOT_PERMITTED');
      bank()
        .when(pay('1', { skip: { [what]: false } }))
        .happened();
    });
  }

  it('keeps assets apart', () => {
    const two = () =>
      given(
        ...ledgerWith('BRL', '@alice'),
        assetCreated({ code: 'USD' }),
        externalOpened('USD'),
        accountOpened({ alias: '@dora', assetCode: 'USD' }),
      ).after(inflow('@alice', '10'), inflow('@dora', '10', 'USD'));
    for (const asset of ['BRL', 'USD', 'EUR']) {
      two()
        .when(postTransaction({ from: '@alice', to: '@dora', amount: '1', asset }))
        .thenRefused('ASSET_NOT_FOUND');
    }
  });

  describe('refused for several reasons', () => {
    const ledger = () =>
      given(
        ...ledgerWith('BRL', '@alice', '@bob'),
        assetCreated({ code: 'USD' }),
        accountOpened({ alias: '@dollars', assetCode: 'USD' }),
        accountOpened({ alias: '@blocked', blocked: true, allowSending: false }),
        accountOpened({ alias: '@silent', allowSending: false }),
      );
    const story: readonly (readonly [string, string, Parameters<typeof postTransaction>[0]])[] = [
      [
        'a leg without a quantity, before a value of zero',
        'LEG_QUANTITY',
        { from: '@alice', to: [{ accountAlias: '@bob' }], amount: '0' },
      ],
      [
        'a value of zero, before totals that differ',
        'VALUE_NOT_POSITIVE',
        { from: '@alice 5', to: '@bob 4', amount: '0' },
      ],
      [
        'a leg of zero on the second side, before a remainder that cannot be on the first',
        'VALUE_NOT_POSITIVE',
        { from: ['@alice', '@alice'], to: ['@bob 0', '@bob 1'], amount: '1' },
      ],
      [
        'a leg of zero on the second side, before a remainder below zero on the first',
        'VALUE_NOT_POSITIVE',
        { from: ['@alice 2', '@alice'], to: ['@bob 0', '@bob 1'], amount: '1' },
      ],
      [
        'a leg of zero, before a leg of another asset',
        'VALUE_NOT_POSITIVE',
        { from: [leg('@alice 1', 'USD')], to: ['@bob 0', '@bob 1'], amount: '1' },
      ],
      [
        'a leg of another asset, before totals that differ',
        'ASSET_NOT_FOUND',
        { from: '@alice 2', to: [leg('@bob 1', 'USD')], amount: '1' },
      ],
      [
        'totals that differ, before one account on both sides',
        'TOTALS_DIFFER',
        { from: '@alice 5', to: '@alice 4', amount: '5' },
      ],
      [
        'one account on both sides, before an account nobody knows',
        'ACCOUNT_ON_BOTH_SIDES',
        { from: ['@nobody 1', '@alice 4'], to: '@alice', amount: '5' },
      ],
      [
        'an account nobody knows, before another asset',
        'ACCOUNTS_NOT_ELIGIBLE',
        { from: '@dollars', to: '@nobody', amount: '5' },
      ],
      [
        'another asset, before a block',
        'ASSET_NOT_FOUND',
        { from: '@blocked', to: '@dollars', amount: '5' },
      ],
      [
        'a block, before a side that is not permitted',
        'ACCOUNT_BLOCKED',
        { from: ['@silent 1', '@blocked'], to: '@bob', amount: '5' },
      ],
      [
        'a side that is not permitted, before missing funds',
        'SIDE_NOT_PERMITTED',
        { from: ['@alice 1', '@silent'], to: '@bob', amount: '5' },
      ],
    ];
    for (const [what, refusal, request] of story) {
      it(`names ${what}`, () => {
        ledger().when(postTransaction(request)).thenRefused(refusal);
      });
    }
  });

  it('is folded only upon the very balances it was decided on', () => {
    const [posting] = bank().when(pay('1')).happened();
    const state = ledgerDecider.initialState();
    const events = [...ledgerWith('BRL', '@alice', '@bob'), posting!];
    expect(() => {
      for (const [n, event] of events.entries()) ledgerDecider.evolve(state, event, n);
    }).to.throw('version 2 of');
    expect(formatAmount(state.book.account('@alice')!.balances[0]!.available)).to.equal('0');
  });

  it('is refused in a ledger of another organization', () => {
    bank()
      .when(pay('1', { organizationId: idOf('another organization') }))
      .thenRefused('LEDGER_NOT_FOUND');
  });
});
