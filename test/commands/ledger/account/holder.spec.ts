import { expect } from 'chai';
import { holderOf, needsHolder } from '#commands/ledger/account/holder.ts';
import type { HolderLookup } from '#commands/ledger/account/holder-lookup.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Facts } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { NO_FACTS } from '#test/support/decider-spec.ts';
import { idOf, ledgerWith, OWN_HOLDER } from '#test/support/ledger-samples.ts';

describe('the holder of a new account, where others than the organization can be one', () => {
  const ANN = idOf('Ann');
  const REGISTRY = 'registry-1' as JournalName;
  const asked: Facts = {
    ...NO_FACTS,
    journal: (name) => (name === REGISTRY ? { live: true, revision: 7 } : undefined),
  };
  const ledger = ledgerDecider.initialState();
  for (const [revision, event] of ledgerWith('BRL').entries()) {
    ledgerDecider.evolve(ledger, event, revision);
  }
  /** Ann is one while the journal that owns the others says so. */
  const holders: HolderLookup = {
    needs: (_, id, facts) =>
      id === OWN_HOLDER || facts.journal(REGISTRY) !== undefined
        ? undefined
        : { journals: [REGISTRY] },
    has: (_, id, facts) =>
      id === OWN_HOLDER || (id === ANN && facts.journal(REGISTRY)?.live === true),
  };

  const named = (holderId?: Uuid, type = 'deposit') => ({ type, holderId, skipHolder: false });

  it('is looked up where holders are kept, before the account is opened', () => {
    expect(needsHolder(ledger, named(ANN), holders, NO_FACTS)).to.deep.equal({
      journals: [REGISTRY],
    });
    expect(needsHolder(ledger, named(ANN), holders, asked)).to.equal(undefined);
    expect(holderOf(ledger, named(ANN), holders, asked).holderId).to.equal(ANN);
  });

  it('is not looked up when none is named, or the account stands for the world outside', () => {
    expect(needsHolder(ledger, named(), holders, NO_FACTS)).to.equal(undefined);
    expect(needsHolder(ledger, named(ANN, 'external'), holders, NO_FACTS)).to.equal(undefined);
  });

  it('is refused when the lookup does not find it', () => {
    const nobody = () => holderOf(ledger, named(idOf('nobody')), holders, asked);
    expect(nobody).to.throw(Refusal).with.property('refusal', 'HOLDER_NOT_FOUND');
  });
});
