import { expect } from 'chai';
import { seedOfRun } from '#test/support/random.ts';
import { compareOnRandomFees } from './random-fees.ts';

describe('fees of random packages', () => {
  it('are those of an independent calculator, and conserve money', () => {
    const outcomes = compareOnRandomFees(seedOfRun(16), 3_000);
    expect([...outcomes.keys()].sort()).to.deep.equal([
      'FEE_DEDUCTION_TOO_LARGE',
      'all_accounts_exempt',
      'all_destination_accounts_exempt',
      'all_source_accounts_exempt',
      'charged',
      'nothing',
    ]);
  });
});
