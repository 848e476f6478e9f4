import { add, formatAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import type {
  ChargeableLeg,
  ChargeableTransaction,
  FeeAdjustments,
  FeeLeg,
} from '#src/kernel/fee-charge.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { figureOf, spread, type FeeFigure } from './fee-figure.ts';
import type { PreparedFee, PreparedPackage } from './prepared-package.ts';
import { Waivers } from './waivers.ts';

export type ExemptionReason =
  'all_source_accounts_exempt' | 'all_destination_accounts_exempt' | 'all_accounts_exempt';

/** A fee with its total, which is zero if nobody had to pay it. */
export type ChargedFee = Readonly<{
  fee: PreparedFee;
  calculation: FeeFigure['calculation'];
  total: Amount;
}>;

/** A transaction with its fees: what changes, and the fees that it comes from. */
export type ChargedTransaction = FeeAdjustments &
  Readonly<{
    isCharged: boolean;
    /** Set if a fee was left out because nobody had to pay it. */
    exemption: ExemptionReason | undefined;
    fees: readonly ChargedFee[];
  }>;

/**
 * Charges the fees of a package on a transaction, in the order of their priorities (contract registry-and-fees §B6). With
 * a scale, totals are rounded to it and shares are cut at it, as in version 1; without one, totals are exact and shares
 * are cut at 16 digits. Each fee keeps both sides equal to the value. Errors: FEE_DEDUCTION_TOO_LARGE,
 * FEE_NOT_COMPUTABLE.
 */
export function chargeFees(
  { fees, waived }: Pick<PreparedPackage, 'fees' | 'waived'>,
  transaction: ChargeableTransaction,
  scale: number | undefined,
): ChargedTransaction {
  const { from } = transaction;
  const waivers = new Waivers(waived);
  const feesFrom: FeeLeg[] = [];
  const feesTo: FeeLeg[] = [];
  const charged: ChargedFee[] = [];
  let exemption: ExemptionReason | undefined;
  let { value, to } = transaction;

  for (const fee of fees) {
    const { isDeductibleFrom, referenceAmount, creditAccount, routeFrom, routeTo } = fee;
    const base = referenceAmount === 'originalAmount' ? transaction.value : value;
    const figure = figureOf(fee, base, scale);
    const reason = figure.amount === ZERO ? undefined : exemptionOf(fee, from, to, waivers);
    if (reason !== undefined) exemption = both(exemption, reason);
    const total = reason === undefined ? figure.amount : ZERO;
    if (total > ZERO) {
      const payers = isDeductibleFrom ? to : from;
      const shares = sharesOf(total, payers, waivers, scale ?? SHARE_DIGITS);
      for (const [payer, amount] of shares) {
        const source = payers[payer]!.alias;
        const isDeferrable = fee.deferrable === true && !isDeductibleFrom;
        const deferrable = isDeferrable ? feesFrom.length : undefined;
        if (!isDeductibleFrom) {
          feesFrom.push({ alias: source, amount, payer, route: routeFrom, deferrable });
        }
        feesTo.push({ alias: creditAccount, amount, payer, route: routeTo, source, deferrable });
      }
      checkCount(from.length + feesFrom.length, to.length + feesTo.length);
      if (isDeductibleFrom) to = deducted(to, shares);
      else value = raised(value, total);
    }
    charged.push({ fee, calculation: figure.calculation, total });
    waivers.add(creditAccount);
  }

  return {
    value,
    to: to.map(({ amount }) => amount),
    feesFrom,
    feesTo,
    isCharged: feesTo.length > 0,
    exemption,
    fees: charged,
  };
}

/** Version 2 cuts a share at so many fractional digits. */
const SHARE_DIGITS = 16;

/** The most legs of a side, fees included: as many as a transaction may name. */
const LEGS_MAX = 500;

const both = (before: ExemptionReason | undefined, reason: ExemptionReason): ExemptionReason =>
  before === undefined || before === reason ? reason : 'all_accounts_exempt';

/** A leg without an amount takes no part. */
function exemptionOf(
  { isDeductibleFrom }: PreparedFee,
  from: readonly ChargeableLeg[],
  to: readonly ChargeableLeg[],
  waivers: Waivers,
): ExemptionReason | undefined {
  const isExempt = (legs: readonly ChargeableLeg[]): boolean =>
    legs.every((leg) => leg.amount === ZERO || waivers.has(leg));
  const noSource = isExempt(from);
  const noDestination = isDeductibleFrom && isExempt(to);
  if (noSource && noDestination) return 'all_accounts_exempt';
  if (noSource) return 'all_source_accounts_exempt';
  return noDestination ? 'all_destination_accounts_exempt' : undefined;
}

/** Returns what each payer owes, by its place. A share that is cut to nothing is left out. */
function sharesOf(
  total: Amount,
  legs: readonly ChargeableLeg[],
  waivers: Waivers,
  digits: number,
): readonly (readonly [payer: number, share: Amount])[] {
  const payers: number[] = [];
  legs.forEach((leg, n) => {
    if (leg.amount !== ZERO && !waivers.has(leg)) payers.push(n);
  });
  const shares = spread(
    total,
    payers.map((n) => legs[n]!.amount),
    digits,
  );
  return payers.map((payer, n) => [payer, shares[n]!] as const).filter(([, share]) => share > ZERO);
}

function deducted(
  legs: readonly ChargeableLeg[],
  shares: readonly (readonly [payer: number, share: Amount])[],
): readonly ChargeableLeg[] {
  const left = [...legs];
  for (const [payer, share] of shares) {
    const leg = legs[payer]!;
    if (share >= leg.amount) {
      const detail = `${leg.alias} receives ${formatAmount(leg.amount)}, of which ${formatAmount(share)} would be deducted.`;
      throw refuse('FEE_DEDUCTION_TOO_LARGE', detail);
    }
    left[payer] = { ...leg, amount: subtract(leg.amount, share) };
  }
  return left;
}

function raised(value: Amount, total: Amount): Amount {
  const sum = add(value, total);
  if (withinRange(sum)) return sum;
  throw refuse(
    'FEE_NOT_COMPUTABLE',
    'With its fees, the value has more digits than an amount has.',
  );
}

function checkCount(debits: number, credits: number): void {
  if (debits <= LEGS_MAX && credits <= LEGS_MAX) return;
  const detail = `With its fees, a side of the transaction has more than ${LEGS_MAX} legs.`;
  throw refuse('FEE_NOT_COMPUTABLE', detail);
}
