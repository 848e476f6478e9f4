import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { NO_FACTS } from '#test/support/decider-spec.ts';
import { accountId, ledgerWith, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { stampAt } from '#test/support/stamps.ts';

describe('fees that an account owes', () => {
  const ledger = ledgerDecider.initialState();
  for (const [revision, event] of ledgerWith('BRL', '@alice', '@bob').entries()) {
    ledgerDecider.evolve(ledger, event, revision);
  }
  const debts = { isOwedBy: (id: Uuid) => id === accountId('@alice') };
  const indebted: Ledger = { ...ledger, debts };

  /** Why an account may not go; without images no decision gets any further. */
  function refusalOf(type: 'CloseAccount' | 'DeleteAccount', alias: string): string | undefined {
    const command: LedgerCommand = {
      type,
      organizationId: ORGANIZATION,
      accountId: accountId(alias),
    };
    try {
      ledgerDecider.decide(indebted, command, NO_FACTS, stampAt());
    } catch (error) {
      return error instanceof Refusal ? error.refusal : undefined;
    }
    return undefined;
  }

  it('keep it from being closed or deleted, and no other', () => {
    for (const type of ['CloseAccount', 'DeleteAccount'] as const) {
      expect(refusalOf(type, '@alice'), type).to.equal('FEE_DEBT_OPEN');
      expect(refusalOf(type, '@bob'), type).to.equal(undefined);
    }
  });
});
