import { expect } from 'chai';
import fc from 'fast-check';
import {
  billingSummary,
  maintenanceResult,
  volumeResult,
} from '#commands/fees/billing/billing-results.ts';
import { Rational } from '#test/support/rational.ts';
import { maintenancePackage, volumePackage } from '#test/support/billing-samples.ts';

type Sent = Readonly<{
  send: Readonly<{
    value: string;
    source: Readonly<{ from: readonly Readonly<{ amount: Readonly<{ value: string }> }>[] }>;
  }>;
}>;

const sum = (values: readonly string[]): string =>
  values.reduce((total, one) => total.plus(Rational.of(one)), new Rational(0n)).text(40)!;

describe('the results of billing', () => {
  it('charges 40 accounts 12.50 each, as in the contract', () => {
    const aliases = Array.from({ length: 40 }, (_, n) => `@${n}`);
    const result = maintenanceResult(maintenancePackage({ feeAmount: '12.5' }), '2026-01', aliases);
    expect(result).to.include({ totalNetAmount: '500', totalAccounts: 40, totalCharged: 40 });
    expect((result.transactionPayload as Sent).send.source.from).to.have.length(40);
  });

  it('adds up its parts', () => {
    const cents = fc.integer({ min: 1, max: 100_000 }).map((n) => sum([`${n / 100}`]));
    fc.assert(
      fc.property(cents, fc.nat(50), fc.array(fc.nat(3000), { maxLength: 5 }), (fee, n, counts) => {
        const aliases = Array.from({ length: n }, (_, at) => `@${at}`);
        const maintained = maintenanceResult(
          maintenancePackage({ feeAmount: fee }),
          '2026-01',
          aliases,
        );
        const volumes = counts.map((count) => volumeResult(volumePackage(), '2026-01', count));
        const results = [maintained, ...volumes];
        for (const { totalNetAmount, transactionPayload } of results) {
          if (totalNetAmount === '0') {
            expect(transactionPayload).to.deep.equal({});
            continue;
          }
          const { send } = transactionPayload as Sent;
          expect(send.value).to.equal(totalNetAmount);
          expect(sum(send.source.from.map(({ amount }) => amount.value))).to.equal(send.value);
        }
        expect(billingSummary(results)).to.deep.equal({
          ...{ totalResults: results.length, totalVolume: counts.length, totalMaintenance: 1 },
          totalNetAmount: sum(results.map(({ totalNetAmount }) => totalNetAmount)),
        });
      }),
      { numRuns: 50 },
    );
  });
});
