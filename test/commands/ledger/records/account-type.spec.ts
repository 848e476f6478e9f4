import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { ledgerOpened } from '#test/support/ledger-samples.ts';
import {
  accountTypeCreated,
  accountTypeId,
  createAccountType,
  deleteAccountType,
  updateAccountType,
} from '#test/support/record-samples.ts';
import { nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const book = (...events: readonly LedgerEvent[]) => given(ledgerOpened(), ...events);

describe('account type', () => {
  it('is created in its ledger, with what was said about it', () => {
    book()
      .when(createAccountType())
      .then(accountTypeCreated({ id: nthId(1) }));
    const fields = {
      description: 'Kept',
      defaultDirection: 'debit',
      metadata: { n: 1 },
    } as const;
    book()
      .when(createAccountType(fields))
      .then(accountTypeCreated({ ...fields, id: nthId(1) }));
  });

  it('has a key of its own, under any name', () => {
    const { details } = book(accountTypeCreated())
      .when(createAccountType({ name: 'Other' }))
      .thenRefused('ACCOUNT_TYPE_TAKEN');
    expect(details.findings?.[0]).to.include({ location: 'keyValue', value: 'savings' });
    book(accountTypeCreated())
      .when(createAccountType({ keyValue: 'loans' }))
      .happened();
  });

  it('records what changed, metadata merged', () => {
    const before = accountTypeCreated({ metadata: { a: 1, b: 2 } });
    const changes = { name: 'Saved', description: 'Kept', defaultDirection: 'debit' } as const;
    book(before)
      .when(updateAccountType({ ...changes, metadata: { a: null, c: 3 } }), {}, LATER)
      .then({
        type: 'AccountTypeUpdated',
        data: {
          accountType: {
            ...before.data.accountType,
            ...changes,
            metadata: { b: 2, c: 3 },
            updatedAt: LATER,
          },
          changed: ['name', 'description', 'defaultDirection', 'metadata'],
        },
      });
  });

  it('takes a patch without effect as nothing', () => {
    const before = accountTypeCreated({ description: 'Kept' });
    const { accountType } = before.data;
    for (const changes of [{}, { name: 'Savings', description: 'Kept' }, { metadata: {} }]) {
      book(before)
        .when(updateAccountType(changes))
        .thenUnchanged({ type: 'AccountTypeUpdated', data: { accountType, changed: [] } });
    }
  });

  it('ends, and frees its key', () => {
    const { accountType } = accountTypeCreated().data;
    const ended = book(accountTypeCreated());
    ended.when(deleteAccountType(), {}, LATER).then({
      type: 'AccountTypeDeleted',
      data: { accountType: { ...accountType, updatedAt: LATER, deletedAt: LATER } },
    });
    ended.when(createAccountType()).happened();
  });

  for (const command of [updateAccountType({ name: 'Ghost' }), deleteAccountType()]) {
    it(`refuses ${command.type} where there is none, or no longer`, () => {
      book().when(command).thenRefused('ACCOUNT_TYPE_NOT_FOUND');
      book(accountTypeCreated())
        .after(deleteAccountType())
        .when(command)
        .thenRefused('ACCOUNT_TYPE_NOT_FOUND');
    });
  }

  it('is known again after the journal was put away', () => {
    const state = ledgerDecider.initialState();
    const debit = accountTypeCreated({ keyValue: 'loans', defaultDirection: 'debit' });
    const events = [ledgerOpened(), accountTypeCreated(), debit];
    for (const [revision, event] of events.entries()) ledgerDecider.evolve(state, event, revision);
    const { accountTypes } = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state)).records;
    const own = { id: accountTypeId('loans'), keyValue: 'loans', direction: 'debit', revision: 2 };
    expect(accountTypes.having('keyValue', 'loans')).to.deep.equal(own);
    expect(accountTypes.having('keyValue', 'savings')).to.include({ direction: 'credit' });
  });
});
