import { expect } from 'chai';
import { accountAt } from '#src/events/ledger/known-accounts.ts';

describe('the accounts in the texts of postings', () => {
  const first = '01a21c3d-adff-7004-8509-414806ff0000';
  /** Differs from the first account only where the choice of its place in memory does not look. */
  const second = '01a21c3e-adff-7004-8509-414806ff0000';

  it('are the same strings each time', () => {
    const account = accountAt(`["D","${first}","@alice"`, 6);
    expect(account).to.deep.equal({
      accountId: first,
      balanceId: '01a21c3d-adff-7004-8509-414806ff0001',
    });
    expect(accountAt(`["C","${first}","@bob"`, 6)).to.equal(account);
  });

  it('are told apart where they share a place in memory', () => {
    for (const id of [first, second, first, second]) {
      expect(accountAt(id, 0)?.accountId).to.equal(id);
    }
  });

  it('have an id', () => {
    for (const text of ['', first.slice(0, 35), first.toUpperCase(), `${first.slice(0, 35)}"`]) {
      expect(accountAt(text, 0)).to.equal(undefined);
    }
  });
});
