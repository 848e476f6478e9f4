import { expect } from 'chai';
import { partId } from '#src/kernel/ids.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { accountId, accountOpened, LEDGER, ledgerWith } from '#test/support/ledger-samples.ts';
import { funded, state } from '#test/support/transaction-samples.ts';
import { sealed } from './hand-made.ts';

const own = (accountOpened({ alias: '@bob' }).data as Readonly<{ balance: BalanceRecord }>).balance;
const outside = (ledgerWith('BRL')[2]?.data as Readonly<{ balance: BalanceRecord }>).balance;

const deleted = (balance: BalanceRecord): LedgerEvent => ({
  type: 'BalanceDeleted',
  data: { balance, state: state('0', 0) },
});
const created = (key: string, ordinal: number): LedgerEvent => ({
  type: 'BalanceCreated',
  data: { balance: { ...own, key, id: partId(accountId('@bob'), ordinal) } },
});

function found(...events: readonly LedgerEvent[]): string | undefined {
  const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
  for (const event of sealed([...ledgerWith('BRL', '@bob'), ...events])) {
    const difference = verifier.take(event);
    if (difference !== undefined) return difference.what;
  }
  return undefined;
}

describe('the auditor of default balances', () => {
  it('finds nothing wrong with one that is deleted and created again', () => {
    const again = [deleted(own), created('default', 2), created('savings', 3)];
    expect(found(...again)).to.equal(undefined);
  });

  it('finds a further balance in an account without a default one', () => {
    expect(found(deleted(own), created('savings', 2))).to.equal('@bob has no default balance');
  });

  it('finds the end of the balance of an external account', () => {
    expect(found(deleted(outside))).to.equal('@external/BRL#default goes with its asset');
  });

  it('finds a leg on one that was deleted', () => {
    expect(found(deleted(own), funded('@bob'))).to.match(/^there is no balance/);
  });

  it('finds one that was deleted with funds', () => {
    expect(found(funded('@bob'), deleted(own))).to.match(/was in another state$/);
  });
});
