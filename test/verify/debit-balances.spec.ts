import { expect } from 'chai';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { creditedHold } from '#test/support/credited-hold.ts';
import { LEDGER } from '#test/support/ledger-samples.ts';
import { sealed } from './hand-made.ts';

const found = (events: readonly LedgerEvent[]): string | undefined => {
  const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
  for (const event of sealed(events)) {
    const difference = verifier.take(event);
    if (difference !== undefined) return `${difference.revision}: ${difference.what}`;
  }
  return undefined;
};

describe('the auditor of debit balances', () => {
  it('finds a credit that takes what is on hold', () => {
    const events = creditedHold();
    expect(found(events)).to.equal(
      `${events.length - 1}: @loan#default is credited what is on hold: 10/10 v2 before`,
    );
  });

  it('finds nothing wrong with the hold itself', () => {
    expect(found(creditedHold().slice(0, -1))).to.equal(undefined);
  });
});
