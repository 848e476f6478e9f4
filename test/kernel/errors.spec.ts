import { expect } from 'chai';
import { catalog } from '#src/bootstrap/refusals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';

describe('catalogue of refusals', () => {
  it('gives each its own code, in the form that clients know', () => {
    const codes = Object.values(catalog).map(({ code }) => code);
    expect(new Set(codes).size).to.equal(codes.length);
    for (const code of codes) expect(code).to.match(/^(LDG|CRM|FEE|AUT|IDE)-\d{4}$/);
  });

  it('makes errors that say what happened, and where', () => {
    const findings = [{ location: 'name', message: 'is taken', value: 'BRL' }];
    const refusal = refuse('ASSET_TAKEN', 'The ledger has it.', { findings });
    expect(refusal).to.be.instanceOf(Refusal).and.to.be.instanceOf(Error);
    expect(refusal).to.include({ refusal: 'ASSET_TAKEN', message: 'The ledger has it.' });
    expect(refusal.details).to.deep.equal({ detail: 'The ledger has it.', findings });
  });
});
