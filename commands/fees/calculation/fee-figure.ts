import { AMOUNT_SCALE, withinRange, type Amount } from '#src/kernel/amount.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import {
  prepareCalculation,
  type PreparedCalculation,
  type PreparedFee,
} from './prepared-package.ts';

/** The total of a fee, and the calculation that it comes from. */
export type FeeFigure = Readonly<{ amount: Amount; calculation: PreparedCalculation }>;

/**
 * Calculates the total of a fee on its base amount: rounded half away from zero to `scale` fractional digits, or exact
 * without a scale. Of several calculations the largest counts, before rounding; of equal ones the first. Errors:
 * FEE_NOT_COMPUTABLE for a total that no amount can hold.
 */
export function figureOf(
  { calculations: [first, ...others] }: Pick<PreparedFee, 'calculations'>,
  base: Amount,
  scale: number | undefined,
): FeeFigure {
  let largest = exactOf(first, base);
  for (const one of others) {
    const exact = exactOf(one, base);
    if (isLarger(exact, largest)) largest = exact;
  }
  const amount = scale === undefined ? unrounded(largest) : rounded(largest, scale);
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
  const calculation = prepareCalculation({ type: 'percentage', value: percentage });
  const amount = unrounded(exactOf(calculation, base));
  return amount !== undefined && withinRange(amount) ? amount : undefined;
}

/** A figure before rounding: a whole number of units, to be divided by the divisor of its calculation. */
type ExactFigure = Readonly<{ dividend: bigint; calculation: PreparedCalculation }>;

const exactOf = (calculation: PreparedCalculation, base: Amount): ExactFigure => ({
  dividend: base * calculation.times + calculation.plus,
  calculation,
});

const isLarger = (a: ExactFigure, b: ExactFigure): boolean =>
  a.dividend * b.calculation.by > b.dividend * a.calculation.by;

const unrounded = ({ dividend, calculation: { by } }: ExactFigure): Amount | undefined =>
  dividend % by === 0n ? ((dividend / by) as Amount) : undefined;

/** Amounts are not negative, so half away from zero is half up. */
function rounded({ dividend, calculation: { by } }: ExactFigure, scale: number): Amount {
  const unit = unitOf(scale);
  const step = by * unit;
  return (((2n * dividend + step) / (2n * step)) * unit) as Amount;
}

/**
 * Divides an amount in proportion to `weights`, which are above zero. Each share is cut at `digits` fractional digits;
 * the largest weight, the first of equal ones, also gets what is left, so that the shares add up to the amount.
 */
export function spread(amount: Amount, weights: readonly Amount[], digits: number): Amount[] {
  if (weights.length === 1) return [amount];
  const sum = weights.reduce<bigint>((total, weight) => total + weight, 0n);
  const unit = unitOf(digits);
  const shares = weights.map((weight) => ((amount * weight) / sum / unit) * unit);
  const left = amount - shares.reduce((total, share) => total + share, 0n);
  const largest = weights.reduce((most, weight, n) => (weight > weights[most]! ? n : most), 0);
  return shares.map((share, n) => (n === largest ? share + left : share) as Amount);
}

const unitOf = (digits: number): bigint => 10n ** BigInt(AMOUNT_SCALE - digits);
