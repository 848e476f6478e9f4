import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { ownerAmong } from '#src/kernel/rendezvous.ts';

describe('the owner of a name', () => {
  const names = Array.from({ length: 3000 }, () => `ledger-${randomUUID()}`);
  const candidates = Array.from({ length: 4 }, () => randomUUID());

  it('is one of the candidates, whatever their order; nobody without any', () => {
    for (const name of names.slice(0, 100)) {
      const owner = ownerAmong(name, candidates);
      expect(candidates).to.include(owner);
      expect(ownerAmong(name, candidates.toReversed())).to.equal(owner);
    }
    expect(ownerAmong('ledger-1', [])).to.equal(undefined);
  });

  it('is each candidate about as often', () => {
    const counts = Map.groupBy(names, (name) => ownerAmong(name, candidates));
    for (const candidate of candidates) {
      expect(counts.get(candidate)?.length).to.be.within(600, 900);
    }
  });

  it('changes only for the names of a candidate that goes', () => {
    const [gone, ...left] = candidates;
    for (const name of names) {
      const before = ownerAmong(name, candidates);
      if (before !== gone) expect(ownerAmong(name, left)).to.equal(before);
    }
  });
});
