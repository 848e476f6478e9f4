import { expect } from 'chai';
import { holderOf, needsHolder } from '#commands/ledger/account/holder.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Facts, JournalFact } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { registryJournal } from '#src/kernel/journal-name.ts';
import type { LiveHolders } from '#src/kernel/live-holders.ts';
import { NO_FACTS } from '#test/support/decider-spec.ts';
import { idOf, ledgerWith, ORGANIZATION, OWN_HOLDER } from '#test/support/ledger-samples.ts';

describe('the holder of a new account', () => {
  const ANN = idOf('Ann');
  const REGISTRY = registryJournal(ORGANIZATION);
  const live = new Set<Uuid>([ANN]);
  const registry: JournalFact & LiveHolders = {
    ...{ live: true, revision: 7 },
    isLive: (id) => live.has(id),
  };
  const looked = (found: JournalFact | null): Facts => ({
    ...NO_FACTS,
    journal: (name) => (name === REGISTRY ? found : undefined),
  });
  const ledger = ledgerDecider.initialState();
  for (const [revision, event] of ledgerWith('BRL').entries()) {
    ledgerDecider.evolve(ledger, event, revision);
  }

  const named = (holderId?: Uuid, type = 'deposit') => ({ type, holderId, skipHolder: false });

  it('is looked up in the registry of the organization', () => {
    expect(needsHolder(ledger, named(ANN), NO_FACTS)).to.deep.equal({ journals: [REGISTRY] });
    expect(needsHolder(ledger, named(ANN), looked(registry))).to.equal(undefined);
    expect(holderOf(ledger, named(ANN), looked(registry)).holderId).to.equal(ANN);
  });

  it('is not looked up when none is named, or the own one, or for the world outside', () => {
    for (const choice of [named(), named(OWN_HOLDER), named(ANN, 'external')]) {
      expect(needsHolder(ledger, choice, NO_FACTS)).to.equal(undefined);
    }
    expect(holderOf(ledger, named(OWN_HOLDER), NO_FACTS).holderId).to.equal(OWN_HOLDER);
  });

  it('is not looked up by a ledger that is not live, which refuses the account anyway', () => {
    const absent = ledgerDecider.initialState();
    expect(needsHolder(absent, named(ANN), NO_FACTS)).to.equal(undefined);
  });

  it('is refused when the registry does not know it, or does not exist', () => {
    for (const found of [registry, null, { ...registry, live: false }]) {
      const nobody = () => holderOf(ledger, named(idOf('nobody')), looked(found));
      expect(nobody).to.throw(Refusal).with.property('refusal', 'HOLDER_NOT_FOUND');
    }
  });

  it('is the one that is live when the account is decided, not when it was looked up', () => {
    const facts = looked(registry);
    expect(needsHolder(ledger, named(ANN), facts)).to.equal(undefined);
    live.delete(ANN);
    expect(() => holderOf(ledger, named(ANN), facts)).to.throw(Refusal);
    live.add(ANN);
  });
});
