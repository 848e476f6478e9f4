import { AMOUNT_SCALE, parseAmount, withinRange, type Amount } from '#src/kernel/amount.ts';
import type { Fee, FeeCalculation } from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';

/** The total of a fee, and the calculation that it comes from. */
export type FeeFigure = Readonly<{ amount: Amount; calculation: FeeCalculation }>;

/**
 * Calculates the total of a fee on its base amount: rounded half away from zero to `scale` fractional digits, or exact
 * without a scale. Of several calculations the largest counts, before rounding; of equal ones the first. Errors:
 * FEE_NOT_COMPUTABLE for a total that no amount can hold.
 */
export function figureOf(
  { calculationModel: { calculations } }: Fee,
  base: Amount,
  scale: number | undefined,
): FeeFigure {
  const [first, ...others] = calculations.map((calculation) => ({
    calculation,
    exact: exactOf(calculation, base),
  }));
  if (first === undefined) throw new Error('A fee has a calculation');
  const largest = others.reduce((most, one) => (one.exact > most.exact ? one : most), first);
  const amount = scale === undefined ? unrounded(largest.exact) : rounded(largest.exact, scale);
  if (amount === undefined || !withinRange(amount)) {
    throw refuse(
      'FEE_NOT_COMPUTABLE',
      'A fee of the package needs more digits than an amount has.',
    );
  }
  return { amount, calculation: largest.calculation };
}

/** Returns a percentage of an amount, exactly; undefined if no amount can hold it. */
export function percentageOf(base: Amount, percentage: string): Amount | undefined {
  const amount = unrounded(exactOf({ type: 'percentage', value: percentage }, base));
  return amount !== undefined && withinRange(amount) ? amount : undefined;
}

/** Returns the whole number of 10^-70 units: a product of two amounts has 68 fractional digits, a hundredth of it 70. */
function exactOf({ type, value }: FeeCalculation, base: Amount): bigint {
  const amount = parseAmount(value);
  return type === 'flat' ? amount * UNITS : base * amount;
}

const unrounded = (exact: bigint): Amount | undefined =>
  exact % UNITS === 0n ? ((exact / UNITS) as Amount) : undefined;

/** Amounts are not negative, so half away from zero is half up. */
function rounded(exact: bigint, scale: number): Amount {
  const unit = unitOf(scale);
  const step = UNITS * unit;
  return (((2n * exact + step) / (2n * step)) * unit) as Amount;
}

/**
 * Divides an amount in proportion to `weights`, which are above zero. Each share is cut at `digits` fractional digits;
 * the largest weight, the first of equal ones, also gets what is left, so that the shares add up to the amount.
 */
export function spread(amount: Amount, weights: readonly Amount[], digits: number): Amount[] {
  const sum = weights.reduce<bigint>((total, weight) => total + weight, 0n);
  const unit = unitOf(digits);
  const shares = weights.map((weight) => ((amount * weight) / sum / unit) * unit);
  const left = amount - shares.reduce((total, share) => total + share, 0n);
  const largest = weights.reduce((most, weight, n) => (weight > weights[most]! ? n : most), 0);
  return shares.map((share, n) => (n === largest ? share + left : share) as Amount);
}

const UNITS = 100n * 10n ** BigInt(AMOUNT_SCALE);

const unitOf = (digits: number): bigint => 10n ** BigInt(AMOUNT_SCALE - digits);
