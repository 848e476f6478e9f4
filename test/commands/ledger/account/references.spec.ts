import { expect } from 'chai';
import type { UpdateAccount } from '#commands/ledger/account/update.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  createAccount,
  externalOpened,
  idOf,
  ledgerOpened,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import {
  accountTypeCreated,
  deleteAccountType,
  deletePortfolio,
  deleteSegment,
  portfolioCreated,
  portfolioId,
  segmentCreated,
  segmentId,
  updateAccountType,
  updatePortfolio,
} from '#test/support/record-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const ID = nthWhole(1);
const NOBODY = idOf('nobody');
const RETAIL = segmentId('Retail');
const ANNA = portfolioId('Anna');

const book = (...events: readonly LedgerEvent[]) => given(...ledgerWith('BRL'), ...events);
const annas = portfolioCreated({ entityId: 'C-17' });

describe('account in a portfolio and a segment', () => {
  it('opens there, and belongs to the owner of the portfolio', () => {
    const groups = { portfolioId: ANNA, segmentId: RETAIL };
    book(annas, segmentCreated())
      .when(createAccount(groups))
      .then(accountOpened({ id: ID, ...groups, entityId: 'C-17' }));
  });

  it('keeps an owner of its own, and has none when nobody says one', () => {
    const own = { portfolioId: ANNA, entityId: 'C-18' };
    book(annas)
      .when(createAccount(own))
      .then(accountOpened({ id: ID, ...own }));
    book(portfolioCreated())
      .when(createAccount({ portfolioId: ANNA }))
      .then(accountOpened({ id: ID, portfolioId: ANNA }));
  });

  it('takes over the owner that the portfolio has now', () => {
    const changed = book(annas).after(updatePortfolio({ entityId: 'C-19' }));
    const [event] = changed.when(createAccount({ portfolioId: ANNA })).happened();
    expect((event?.data as Images).account).to.include({ entityId: 'C-19' });
  });

  it('is refused in one that is not there, or no longer', () => {
    const { details } = book()
      .when(createAccount({ portfolioId: NOBODY }))
      .thenRefused('PORTFOLIO_NOT_FOUND');
    expect(details.findings).to.deep.equal([
      { location: 'portfolioId', message: 'names no portfolio', value: NOBODY },
    ]);
    book()
      .when(createAccount({ segmentId: NOBODY }))
      .thenRefused('SEGMENT_NOT_FOUND');
    const ended = book(annas, segmentCreated()).after(deletePortfolio(), deleteSegment());
    ended.when(createAccount({ portfolioId: ANNA })).thenRefused('PORTFOLIO_NOT_FOUND');
    ended.when(createAccount({ segmentId: RETAIL })).thenRefused('SEGMENT_NOT_FOUND');
  });

  describe('changed', () => {
    const update = (changes: UpdateAccount['changes']): UpdateAccount => ({
      type: 'UpdateAccount',
      organizationId: ORGANIZATION,
      accountId: accountId('@alice'),
      changes,
    });
    const alice = accountOpened({ alias: '@alice' });
    const there = accountOpened({ alias: '@alice', portfolioId: ANNA, segmentId: RETAIL });
    const imageOf = (event: LedgerEvent) => (event.data as Images).account;

    it('is put into groups, which changes nothing about its owner', () => {
      const changes = { portfolioId: ANNA, segmentId: RETAIL };
      book(annas, segmentCreated(), alice)
        .when(update(changes), {}, LATER)
        .then({
          type: 'AccountUpdated',
          data: {
            account: { ...imageOf(alice), ...changes, updatedAt: LATER },
            changed: ['portfolioId', 'segmentId'],
          },
        });
    });

    it('is taken out of them by null', () => {
      book(annas, segmentCreated(), there)
        .when(update({ portfolioId: null, segmentId: null }), {}, LATER)
        .then({
          type: 'AccountUpdated',
          data: {
            account: { ...imageOf(alice), updatedAt: LATER },
            changed: ['portfolioId', 'segmentId'],
          },
        });
    });

    it('is refused what is not there', () => {
      book(alice)
        .when(update({ portfolioId: NOBODY }))
        .thenRefused('PORTFOLIO_NOT_FOUND');
      book(alice)
        .when(update({ segmentId: NOBODY }))
        .thenRefused('SEGMENT_NOT_FOUND');
    });

    it('keeps the ids of groups that have ended, and may say them again', () => {
      const ended = book(annas, segmentCreated(), there).after(deletePortfolio(), deleteSegment());
      ended
        .when(update({ portfolioId: ANNA, segmentId: RETAIL }))
        .thenUnchanged({ type: 'AccountUpdated', data: { account: imageOf(there), changed: [] } });
      const [event] = ended.when(update({ name: 'Alice' })).happened();
      expect(imageOf(event!)).to.include({ portfolioId: ANNA, segmentId: RETAIL });
      ended.after(update({ segmentId: null }));
      ended.when(update({ segmentId: RETAIL })).thenRefused('SEGMENT_NOT_FOUND');
    });
  });
});

describe('account of a type', () => {
  const loans = accountTypeCreated({ keyValue: 'loans', defaultDirection: 'debit' });

  it('begins in the direction of its type, whether or not types must be registered', () => {
    book(loans)
      .when(createAccount({ type: 'loans' }))
      .then(accountOpened({ id: ID, type: 'loans', name: LOANS, direction: 'debit' }));
    book(loans)
      .when(createAccount())
      .then(accountOpened({ id: ID }));
    book(accountTypeCreated({ keyValue: 'deposit' }))
      .when(createAccount())
      .then(accountOpened({ id: ID }));
  });

  it('keeps its direction when that of the type changes, which binds those to come', () => {
    const debt = accountOpened({ alias: '@debt', type: 'loans', direction: 'debit' });
    const changed = book(loans, accountOpened({ alias: '@alice' }), debt).after(
      updateAccountType({ defaultDirection: 'credit' }, 'loans'),
      createAccount({ alias: '@new', type: 'loans' }),
    );
    const lend = (from: string) => postTransaction({ from, to: '@alice', amount: '1' });
    changed.when(lend('@debt')).happened(); // What is owed grows by debits.
    changed.when(lend('@new')).thenRefused('INSUFFICIENT_FUNDS');
  });

  it('is debit where it stands for the world outside, whatever is registered', () => {
    book(accountTypeCreated({ keyValue: 'external', defaultDirection: 'credit' }))
      .when(createAccount({ type: 'external', alias: '@abroad' }))
      .then(
        accountOpened({
          id: ID,
          alias: '@abroad',
          type: 'external',
          name: 'BRL external account',
          holderId: null,
        }),
      );
  });

  describe('where types must be registered', () => {
    const { accounting } = defaultSettings;
    const settings = {
      ...defaultSettings,
      accounting: { ...accounting, validateAccountType: true },
    };
    const strict = (...events: readonly LedgerEvent[]) =>
      given(ledgerOpened({ settings }), assetCreated(), externalOpened(), ...events);

    it('opens under a registered one only', () => {
      const { details } = strict()
        .when(createAccount({ type: 'loans' }))
        .thenRefused(UNKNOWN);
      expect(details.findings).to.deep.equal([
        { location: 'type', message: 'names no account type', value: 'loans' },
      ]);
      strict(loans)
        .when(createAccount({ type: 'loans' }))
        .happened();
      strict(loans)
        .after(deleteAccountType('loans'))
        .when(createAccount({ type: 'loans' }))
        .thenRefused(UNKNOWN);
    });

    it('is exempt where it stands for the world outside', () => {
      strict()
        .when(createAccount({ type: 'external', alias: '@abroad' }))
        .happened();
    });
  });
});

const LOANS = 'BRL loans account';
const UNKNOWN = 'ACCOUNT_TYPE_UNKNOWN';
type Images = Readonly<{ account: AccountRecord }>;
