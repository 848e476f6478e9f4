import { add, formatAmount, subtract, withinRange, ZERO, type Amount } from '#src/kernel/amount.ts';
import type {
  ChargeableLeg,
  ChargeableTransaction,
  FeeAdjustments,
  FeeLeg,
} from '#src/kernel/fee-charge.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type {
  ApplicationRule,
  Fee,
  FeePackageFields,
  ReferenceAmount,
} from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { figureOf, spread, type FeeFigure } from './fee-figure.ts';
import { Waivers } from './waivers.ts';

export type ExemptionReason =
  'all_source_accounts_exempt' | 'all_destination_accounts_exempt' | 'all_accounts_exempt';

/** Explains a fee: the rule, the reference amount and the rounding that its total comes from. */
export type FeeExplanation = Readonly<{
  packageId: Uuid;
  feeKey: string;
  rule: ApplicationRule;
  referenceAmount: ReferenceAmount;
  rate?: string;
  value?: string;
  rounding: string;
  amount: string;
}>;

/** A transaction with its fees: what changes, and why. */
export type ChargedTransaction = FeeAdjustments &
  Readonly<{
    isCharged: boolean;
    /** Set if a fee was left out because nobody had to pay it. */
    exemption: ExemptionReason | undefined;
    explain: readonly FeeExplanation[];
  }>;

type ChargedPackage = Pick<FeePackageFields, 'fees' | 'waivedAccounts'> & Readonly<{ id: Uuid }>;

/**
 * Charges the fees of a package on a transaction, in the order of their priorities (contract registry-and-fees §B6). With
 * a scale, totals are rounded to it and shares are cut at it, as in version 1; without one, totals are exact and shares
 * are cut at 16 digits. Each fee keeps both sides equal to the value. Errors: FEE_DEDUCTION_TOO_LARGE,
 * FEE_NOT_COMPUTABLE.
 */
export function chargeFees(
  charged: ChargedPackage,
  transaction: ChargeableTransaction,
  scale: number | undefined,
): ChargedTransaction {
  const { from } = transaction;
  const waivers = new Waivers(charged.waivedAccounts);
  const feesFrom: FeeLeg[] = [];
  const feesTo: FeeLeg[] = [];
  const reasons = new Set<ExemptionReason>();
  const explain: FeeExplanation[] = [];
  let { value, to } = transaction;

  for (const [feeKey, fee] of byPriority(charged.fees)) {
    const { isDeductibleFrom, referenceAmount, creditAccount, routeFrom, routeTo } = fee;
    const base = referenceAmount === 'originalAmount' ? transaction.value : value;
    const figure = figureOf(fee, base, scale);
    const reason = figure.amount === ZERO ? undefined : exemptionOf(fee, from, to, waivers);
    if (reason !== undefined) reasons.add(reason);
    const total = reason === undefined ? figure.amount : ZERO;
    if (total > ZERO) {
      const payers = isDeductibleFrom ? to : from;
      const shares = sharesOf(total, payers, waivers, scale ?? SHARE_DIGITS);
      for (const [payer, amount] of shares) {
        const source = payers[payer]!.alias;
        const isDeferrable = fee.deferrable === true && !isDeductibleFrom;
        const pair = isDeferrable ? { deferrable: feesFrom.length } : {};
        if (!isDeductibleFrom) {
          feesFrom.push({ alias: source, amount, payer, route: routeFrom, ...pair });
        }
        feesTo.push({ alias: creditAccount, amount, payer, route: routeTo, source, ...pair });
      }
      checkCount(from.length + feesFrom.length, to.length + feesTo.length);
      if (isDeductibleFrom) to = deducted(to, shares);
      else value = raised(value, total);
    }
    explain.push({ packageId: charged.id, feeKey, ...explained(fee, figure, scale, total) });
    waivers.add(creditAccount);
  }

  return {
    value,
    to: to.map(({ amount }) => amount),
    feesFrom,
    feesTo,
    isCharged: feesTo.length > 0,
    exemption: reasons.size > 1 ? 'all_accounts_exempt' : [...reasons][0],
    explain,
  };
}

/** Version 2 cuts a share at so many fractional digits. */
const SHARE_DIGITS = 16;

/** The most legs of a side, fees included: as many as a transaction may name. */
const LEGS_MAX = 500;

const byPriority = (fees: FeePackageFields['fees']): readonly (readonly [string, Fee])[] =>
  Object.entries(fees).sort(([, a], [, b]) => a.priority - b.priority);

/** A leg without an amount takes no part. */
function exemptionOf(
  { isDeductibleFrom }: Fee,
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
  const payers = legs.flatMap((leg, n) => (leg.amount === ZERO || waivers.has(leg) ? [] : [n]));
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

function checkCount(...sides: readonly number[]): void {
  if (sides.every((legs) => legs <= LEGS_MAX)) return;
  const detail = `With its fees, a side of the transaction has more than ${LEGS_MAX} legs.`;
  throw refuse('FEE_NOT_COMPUTABLE', detail);
}

function explained(
  { calculationModel: { applicationRule: rule }, referenceAmount }: Fee,
  { calculation: { type, value } }: FeeFigure,
  scale: number | undefined,
  total: Amount,
): Omit<FeeExplanation, 'packageId' | 'feeKey'> {
  const rounding = scale === undefined ? 'none' : `halfAwayFromZero:${scale}`;
  const calculated = type === 'flat' ? { value } : { rate: value };
  return { rule, referenceAmount, ...calculated, rounding, amount: formatAmount(total) };
}
