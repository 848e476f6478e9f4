import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  feesJournal,
  ledgerJournal,
  organizationJournal,
  ownerOf,
  settingsJournal,
} from '#src/kernel/journal-name.ts';

describe('the name of a journal', () => {
  it('is that of its owner, whoever was asked about before', () => {
    const owners = ['a', 'b', 'b', '', 'a', 'a', 'c', 'b'] as Uuid[];
    for (const nameOf of [organizationJournal, ledgerJournal, feesJournal, settingsJournal]) {
      for (const owner of owners) expect(ownerOf(nameOf(owner))).to.equal(owner);
    }
    const names = [organizationJournal, ledgerJournal, feesJournal].map((of) => of('a' as Uuid));
    expect(names).to.deep.equal(['organization-a', 'ledger-a', 'fees-a']);
    expect(settingsJournal('a')).to.equal('settings-a');
  });
});
