import { percentageOf } from '#commands/fees/calculation/fee-figure.ts';
import type { PriceTier, VolumePackageFields } from '#src/events/fees/billing-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { parseAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';

/** The members of a volume package that its figures follow from. */
export type VolumePrices = Pick<
  VolumePackageFields,
  'pricingModel' | 'tiers' | 'freeQuota' | 'discountTiers'
>;

/** The charge for a number of transactions, with every figure that led to it. */
export type VolumeCharge = Readonly<{
  totalEvents: number;
  freeQuotaUsed: number;
  billableEvents: number;
  /** Absent if nothing is billable, or less than the first tier begins with. */
  unitPrice?: string;
  grossAmount: Amount;
  discount?: Readonly<{
    discountPercentage: string;
    discountAmount: Amount;
    minQuantity: number;
  }>;
  netAmount: Amount;
}>;

/**
 * Prices a number of transactions (contract registry-and-fees §B9): one tier prices all that are billable. The discount
 * depends on all transactions, including those that are free. Errors: BILLING_FAILED for a figure that no amount can hold.
 */
export function chargeVolume(prices: VolumePrices, totalEvents: number): VolumeCharge {
  const { freeQuota = 0, discountTiers = [] } = prices;
  const freeQuotaUsed = Math.min(freeQuota, totalEvents);
  const billableEvents = totalEvents - freeQuotaUsed;
  const counts = { totalEvents, freeQuotaUsed, billableEvents };
  const unitPrice = billableEvents === 0 ? undefined : tierOf(prices, billableEvents)?.unitPrice;
  if (unitPrice === undefined) return { ...counts, grossAmount: ZERO, netAmount: ZERO };

  const grossAmount = times(parseAmount(unitPrice), billableEvents);
  const reached = discountTiers.filter(({ minQuantity }) => minQuantity <= totalEvents);
  const tier = reached.reduce<(typeof reached)[number] | undefined>(
    (most, one) => (most === undefined || one.minQuantity > most.minQuantity ? one : most),
    undefined,
  );
  const charge = { ...counts, unitPrice, grossAmount };
  if (tier === undefined) return { ...charge, netAmount: grossAmount };
  const { discountPercentage, minQuantity } = tier;
  const discountAmount = percentageOf(grossAmount, discountPercentage);
  if (discountAmount === undefined) throw tooManyDigits();
  return {
    ...charge,
    discount: { discountPercentage, discountAmount, minQuantity },
    netAmount: subtract(grossAmount, discountAmount),
  };
}

/** Returns the one tier whose price counts: the first, or the one that holds the quantity. */
function tierOf({ pricingModel, tiers }: VolumePrices, quantity: number): PriceTier | undefined {
  if (pricingModel === 'fixed') return tiers[0];
  return tiers.find(
    ({ minQuantity, maxQuantity = Infinity }) => minQuantity <= quantity && quantity <= maxQuantity,
  );
}

/** Errors: BILLING_FAILED for a product with too many digits. */
export function times(amount: Amount, count: number): Amount {
  const product = (amount * BigInt(count)) as Amount;
  if (withinRange(product)) return product;
  throw tooManyDigits();
}

const tooManyDigits = (): Refusal =>
  refuse('BILLING_FAILED', 'A figure of the package needs more digits than an amount has.');
