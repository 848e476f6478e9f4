import { expect } from 'chai';
import fc from 'fast-check';
import { chargeVolume, type VolumePrices } from '#commands/fees/billing/volume-charge.ts';
import type { PriceTier } from '#src/events/fees/billing-package.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import { Rational } from '#test/support/rational.ts';
import { refused } from '#test/support/refused.ts';

/** The prices of the contract's example. */
const EXAMPLE: VolumePrices = {
  pricingModel: 'tiered',
  tiers: [
    { minQuantity: 0, maxQuantity: 1000, unitPrice: '0.1' },
    { minQuantity: 1001, unitPrice: '0.08' },
  ],
  freeQuota: 100,
  discountTiers: [
    { minQuantity: 1000, discountPercentage: '5' },
    { minQuantity: 5000, discountPercentage: '10' },
  ],
};

const figures = (prices: VolumePrices, events: number) => {
  const { grossAmount, netAmount, discount, ...rest } = chargeVolume(prices, events);
  return {
    ...rest,
    gross: formatAmount(grossAmount),
    net: formatAmount(netAmount),
    ...(discount && { discount: formatAmount(discount.discountAmount) }),
  };
};
const net = (prices: Partial<VolumePrices>, events: number): string =>
  figures({ ...EXAMPLE, ...prices }, events).net;

/** Tiers of any number and length, with prices of cents; they have no gaps. */
const anyTiers = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 999 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts): readonly PriceTier[] => {
    let next = 0;
    return parts.map(([length, cents], n) => {
      const minQuantity = next;
      next += length;
      const isLast = n === parts.length - 1;
      const unitPrice = Rational.of(String(cents)).times(Rational.of('0.01')).text(2)!;
      return { minQuantity, ...(!isLast && { maxQuantity: next - 1 }), unitPrice };
    });
  });
const events = fc.integer({ min: 0, max: 5000 });

describe('the charge of a volume', () => {
  it('is that of the contract', () => {
    expect(figures(EXAMPLE, 1250)).to.deep.equal({
      ...{ totalEvents: 1250, freeQuotaUsed: 100, billableEvents: 1150, unitPrice: '0.08' },
      ...{ gross: '92', discount: '4.6', net: '87.4' },
    });
    expect(figures({ ...EXAMPLE, pricingModel: 'fixed' }, 1250)).to.deep.equal({
      ...{ totalEvents: 1250, freeQuotaUsed: 100, billableEvents: 1150, unitPrice: '0.1' },
      ...{ gross: '115', discount: '5.75', net: '109.25' },
    });
  });

  it('has one price for all that is billable', () => {
    const prices = { freeQuota: 0, discountTiers: [] };
    expect([0, 1, 1000, 1001].map((n) => net(prices, n))).to.deep.equal([
      '0',
      '0.1',
      '100',
      '80.08',
    ]);
  });

  it('is nothing up to the free quota, and below the first tier', () => {
    expect([99, 100, 101].map((n) => net({}, n))).to.deep.equal(['0', '0', '0.1']);
    expect(figures(EXAMPLE, 40)).to.deep.equal({
      ...{ totalEvents: 40, freeQuotaUsed: 40, billableEvents: 0, gross: '0', net: '0' },
    });
    const tiers = [{ minQuantity: 10, unitPrice: '1' }];
    const above = { tiers, freeQuota: 0, discountTiers: [] };
    expect([9, 10].map((n) => net(above, n))).to.deep.equal(['0', '10']);
    expect(net({ ...above, pricingModel: 'fixed' }, 9)).to.equal('9');
  });

  it('has the discount of the largest quantity that all transactions reach, free ones too', () => {
    const free = { freeQuota: 4999, tiers: [{ minQuantity: 0, unitPrice: '100' }] };
    expect([4999, 5000, 5001].map((n) => net(free, n))).to.deep.equal(['0', '90', '180']);
    expect(figures({ ...EXAMPLE, ...free }, 999)).to.not.have.property('discount');
    const all = { discountTiers: [{ minQuantity: 0, discountPercentage: '100' }] };
    expect(figures({ ...EXAMPLE, ...all }, 200)).to.include({ gross: '10', net: '0' });
  });

  it('is refused if no amount can hold a figure', async () => {
    const fails = (prices: Partial<VolumePrices>, n: number) =>
      refused(Promise.try(() => chargeVolume({ ...EXAMPLE, freeQuota: 0, ...prices }, n)));
    const dear = [{ minQuantity: 0, unitPrice: '9'.repeat(30) }];
    expect(await fails({ tiers: dear }, 2)).to.equal('BILLING_FAILED');
    const fine = [{ minQuantity: 0, unitPrice: `0.${'0'.repeat(29)}1` }];
    const third = [{ minQuantity: 0, discountPercentage: '33.333' }];
    expect(await fails({ tiers: fine, discountTiers: third }, 1)).to.equal('BILLING_FAILED');
  });

  it('has a tier for every quantity, and is the product in fractions', () => {
    fc.assert(
      fc.property(anyTiers, events, fc.integer({ min: 0, max: 100 }), (tiers, n, percent) => {
        const discountTiers = [{ minQuantity: 0, discountPercentage: String(percent) }];
        const found = figures({ pricingModel: 'tiered', tiers, discountTiers }, n);
        const holding = tiers.filter(
          ({ minQuantity, maxQuantity = Infinity }) => minQuantity <= n && n <= maxQuantity,
        );
        expect(holding).to.have.length(1);
        if (n === 0) return;
        expect(found.unitPrice).to.equal(holding[0]!.unitPrice);
        const exact = Rational.of(holding[0]!.unitPrice)
          .times(Rational.of(String(n)))
          .times(Rational.of(String(100 - percent)))
          .times(Rational.of('0.01'));
        expect(found.net).to.equal(exact.text(40));
      }),
    );
  });

  it('never rises with the discount, nor with the quota at a fixed price', () => {
    fc.assert(
      fc.property(anyTiers, events, fc.nat(100), fc.nat(100), (tiers, n, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        const at = (percent: number, freeQuota = 0) =>
          chargeVolume(
            {
              ...{ pricingModel: 'fixed', tiers, freeQuota },
              discountTiers: [{ minQuantity: 0, discountPercentage: String(percent) }],
            },
            n,
          ).netAmount;
        expect(at(more) <= at(less)).to.equal(true);
        expect(at(0, more) <= at(0, less)).to.equal(true);
      }),
    );
  });
});
