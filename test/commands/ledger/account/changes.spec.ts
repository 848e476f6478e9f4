import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { DeleteAccount } from '#commands/ledger/account/delete.ts';
import type { UpdateAccount } from '#commands/ledger/account/update.ts';
import { expect } from 'chai';
import type { Instant } from '#src/kernel/instant.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  createAccount,
  idOf,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { bulky, keys } from '#test/support/metadata-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const update = (alias: string, changes: UpdateAccount['changes']): UpdateAccount => ({
  type: 'UpdateAccount',
  organizationId: ORGANIZATION,
  accountId: accountId(alias),
  changes,
});
const remove = (alias: string): DeleteAccount => ({
  type: 'DeleteAccount',
  organizationId: ORGANIZATION,
  accountId: accountId(alias),
});

type Images = Readonly<{ account: AccountRecord; balance: BalanceRecord }>;
const images = (alias: string, changes: Partial<AccountRecord> = {}): Images =>
  accountOpened({ alias, ...changes }).data as Images;
const updated = (account: AccountRecord, ...changed: string[]): LedgerEvent => ({
  type: 'AccountUpdated',
  data: { account, changed },
});
const commitOf = (n: number) =>
  ({
    type: 'CommitTransaction',
    organizationId: ORGANIZATION,
    transactionId: nthWhole(n),
  }) as const;

describe('account update', () => {
  const alice = {
    alias: '@alice',
    name: 'Alice',
    entityId: 'E1',
    status: { code: 'PENDING', description: 'New' },
    metadata: { a: 1, b: 'x' },
  };
  const book = () => given(...ledgerWith('BRL', '@bob'), accountOpened(alice));
  const before = images('@alice', alice).account;

  it('changes what is sent and says what that was', () => {
    book()
      .when(update('@alice', { name: 'Alicia', blocked: true, entityId: null }), {}, LATER)
      .then(
        updated(
          JSON.parse(
            JSON.stringify({
              ...before,
              name: 'Alicia',
              entityId: undefined,
              blocked: true,
              updatedAt: LATER,
            }),
          ) as AccountRecord,
          'name',
          'blocked',
          'entityId',
        ),
      );
  });

  it('keeps the code of a status that is sent without one, and replaces its description', () => {
    const status = { code: 'PENDING', description: null };
    book()
      .when(update('@alice', { status: { description: null } }), {}, LATER)
      .then(updated({ ...before, status, updatedAt: LATER }, 'status'));
  });

  it('merges metadata: a value is set, null removes its key, the others stay', () => {
    book()
      .when(update('@alice', { metadata: { a: null, c: true } }), {}, LATER)
      .then(updated({ ...before, metadata: { b: 'x', c: true }, updatedAt: LATER }, 'metadata'));
  });

  it('clears metadata that are null as a whole', () => {
    const [event] = book()
      .when(update('@alice', { metadata: null }))
      .happened();
    expect((event?.data as Images).account).to.not.have.property('metadata');
  });

  it('without effect leaves nothing behind', () => {
    for (const changes of [
      {},
      { name: 'Alice', blocked: false, metadata: {} },
      { metadata: { b: 'x', z: null }, portfolioId: null, status: before.status },
    ]) {
      book().when(update('@alice', changes), {}, LATER).thenUnchanged(updated(before));
    }
  });

  it('starts from the one before it', () => {
    book()
      .after(update('@alice', { name: 'Second' }))
      .when(update('@alice', { blocked: true }), {}, LATER)
      .then(updated({ ...before, name: 'Second', blocked: true, updatedAt: LATER }, 'blocked'));
  });

  it('blocks the very next movement, and lets it go on', () => {
    const pay = postTransaction({ from: '@external/BRL', to: '@alice', amount: '1' });
    const blocked = book().after(update('@alice', { blocked: true }));
    blocked.when(pay).thenRefused('ACCOUNT_BLOCKED');
    blocked
      .after(update('@alice', { blocked: false }))
      .when(pay)
      .happened();
  });

  it('is refused for what is not there, and for the world outside', () => {
    const nobody = idOf('nobody');
    book().when(update('@nobody', {})).thenRefused('NOT_FOUND');
    book().when(update('@external/BRL', {})).thenRefused('EXTERNAL_PROTECTED');
    book()
      .when(update('@alice', { portfolioId: nobody }))
      .thenRefused('PORTFOLIO_NOT_FOUND');
    book()
      .when(update('@alice', { segmentId: nobody }))
      .thenRefused('SEGMENT_NOT_FOUND');
  });

  it('is refused when metadata would have more than 100 keys, unless it has them already', () => {
    book()
      .after(update('@alice', { metadata: keys(98) }))
      .when(update('@alice', { metadata: { c: 1 } }))
      .thenRefused('TOO_MANY_KEYS');
    const full = images('@alice', { ...alice, metadata: keys(130) }).account;
    given(...ledgerWith('BRL'), accountOpened({ ...alice, metadata: keys(130) }))
      .when(update('@alice', { metadata: { k129: null } }), {}, LATER)
      .then(updated({ ...full, metadata: keys(129), updatedAt: LATER }, 'metadata'));
  });

  it('is refused when metadata have grown beyond what one record may hold', () => {
    book()
      .after(update('@alice', { metadata: bulky() }))
      .when(update('@alice', { metadata: { ...bulky(50), a: null, b: null } }))
      .thenRefused('TOO_LARGE');
  });
});

describe('account deletion', () => {
  const gone = { updatedAt: LATER, deletedAt: LATER };

  it('takes the balances along, in one event', () => {
    const { account, balance } = images('@alice');
    given(...ledgerWith('BRL', '@alice'))
      .when(remove('@alice'), {}, LATER)
      .then({
        type: 'AccountDeleted',
        data: { account: { ...account, ...gone }, balances: [{ ...balance, ...gone }] },
      });
  });

  it('is refused while there is anything on a balance', () => {
    const funded = given(...ledgerWith('BRL', '@alice', '@bob')).after(inflow('@alice', '5'));
    funded.when(remove('@alice')).thenRefused('BALANCE_BLOCKS_DELETION');
    funded
      .after(postTransaction({ from: '@alice', to: '@bob', amount: '5', pending: true }))
      .when(remove('@alice'))
      .thenRefused('BALANCE_BLOCKS_DELETION'); // Held.
    funded.after(commitOf(2)).when(remove('@alice')).happened();
  });

  it('is refused for what is not there, twice, and for the world outside', () => {
    const book = () => given(...ledgerWith('BRL', '@alice'));
    book().when(remove('@nobody')).thenRefused('NOT_FOUND');
    book().when(remove('@external/BRL')).thenRefused('EXTERNAL_PROTECTED');
    book().after(remove('@alice')).when(remove('@alice')).thenRefused('NOT_FOUND');
    book().after(remove('@alice')).when(update('@alice', {})).thenRefused('NOT_FOUND');
  });

  it('frees the alias, and nobody can pay it before somebody takes it', () => {
    const pay = inflow('@alice', '1');
    const book = given(...ledgerWith('BRL', '@alice')).after(remove('@alice'));
    book.when(pay).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    book
      .after(createAccount({ alias: '@alice' }))
      .when(pay)
      .happened();
  });

  it('leaves what waits for the account without a way: its alias may be anybody by now', () => {
    const book = given(...ledgerWith('BRL', '@alice', '@bob')).after(
      inflow('@alice', '5'),
      postTransaction({ from: '@alice', to: '@bob', amount: '5', pending: true }),
      remove('@bob'),
      createAccount({ alias: '@bob' }),
    );
    book.when(commitOf(2)).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
    book.when({ ...commitOf(2), type: 'CancelTransaction' }).happened();
  });

  it('is no way back for what was paid to the account', () => {
    const book = given(...ledgerWith('BRL', '@alice', '@bob')).after(
      inflow('@alice', '5'),
      postTransaction({ from: '@alice', to: '@bob', amount: '5' }),
      postTransaction({ from: '@bob', to: '@alice', amount: '5' }),
      remove('@bob'),
      createAccount({ alias: '@bob' }),
    );
    const revert = {
      type: 'RevertTransaction',
      organizationId: ORGANIZATION,
      transactionId: nthWhole(2),
    } as const;
    book.when(revert).thenRefused('ACCOUNTS_NOT_ELIGIBLE');
  });

  it('ends it as a parent, and leaves its children as they are', () => {
    const child = { alias: '@child', parentAccountId: accountId('@alice') };
    given(...ledgerWith('BRL', '@alice'))
      .after(createAccount(child), remove('@alice'))
      .when(createAccount({ ...child, alias: '@other' }))
      .thenRefused('PARENT_ACCOUNT_INVALID');
  });

  it('is kept by a snapshot, with all that was changed before it', () => {
    const state = ledgerDecider.initialState();
    const events = ledgerWith('BRL', '@alice', '@bob');
    events.push(updated({ ...images('@bob').account, blocked: true }, 'blocked'), {
      type: 'AccountDeleted',
      data: { ...images('@alice'), balances: [] },
    });
    events.forEach((event, n) => ledgerDecider.evolve(state, event, n));
    const thawed = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state));
    expect(thawed).to.deep.equal(state);
    expect(thawed.book.accountsHolding('BRL')).to.equal(2);
    expect(thawed.book.accountById(accountId('@bob'))).to.include({ blocked: true, revision: 5 });
  });
});
