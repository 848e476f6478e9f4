import { seedOfRun } from '#test/support/random.ts';
import { compareOnRandomFees } from './random-fees.ts';

/** FEE_PACKAGES=1000000 compares ten times as many. */
const PACKAGES = Number(process.env['FEE_PACKAGES'] ?? 100_000);

describe(`fees of ${PACKAGES} random packages`, function () {
  this.timeout(1_800_000);

  it('are those of an independent calculator, and conserve money', () => {
    compareOnRandomFees(seedOfRun(1_000_000), PACKAGES);
  });
});
