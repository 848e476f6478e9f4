import { AMOUNT_SCALE, parseAmount, type Amount } from '#src/kernel/amount.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import type { Fee, FeeCalculation, FeePackageFields } from '#src/events/fees/fee-package.ts';

/**
 * A package with its amounts and routes read once, because a ledger charges every transaction by it. Fees are in the order
 * of their priorities.
 */
export type PreparedPackage = PackageScope &
  Readonly<{
    id: Uuid;
    /** The waived accounts and segments; empty if there are none. */
    waived: ReadonlySet<string>;
    fees: readonly PreparedFee[];
  }>;

/** The members that say when a package applies. */
export type PackageScope = Readonly<{
  enable: boolean;
  segmentId: Uuid | null;
  /** Undefined for transactions without a route. */
  route: string | undefined;
  /** The metadata that a transaction must have. */
  selector: readonly (readonly [key: string, text: string])[];
  minimum: Amount;
  maximum: Amount;
}>;

export type PreparedFee = Omit<Fee, 'calculationModel'> &
  Readonly<{
    key: string;
    rule: Fee['calculationModel']['applicationRule'];
    calculations: readonly [PreparedCalculation, ...PreparedCalculation[]];
  }>;

/** A calculation whose exact result is `base × times + plus`, divided by `by`, which is in lowest terms. */
export type PreparedCalculation = FeeCalculation &
  Readonly<{ times: bigint; plus: bigint; by: bigint }>;

type PackageRules = Pick<FeePackageFields, 'fees' | 'waivedAccounts'> & Readonly<{ id: Uuid }>;

export const preparePackage = (rules: PackageRules & ScopeRules): PreparedPackage => ({
  ...prepareScope(rules),
  id: rules.id,
  waived: new Set(rules.waivedAccounts),
  fees: prepareFees(rules.fees),
});

type ScopeRules = Pick<
  FeePackageFields,
  | 'enable'
  | 'segmentId'
  | 'transactionRoute'
  | 'metadataSelector'
  | 'minimumAmount'
  | 'maximumAmount'
>;

export const prepareScope = ({ enable, segmentId, ...rules }: ScopeRules): PackageScope => ({
  enable,
  segmentId,
  route: routeOf(rules.transactionRoute),
  selector: Object.entries(rules.metadataSelector ?? {}),
  minimum: parseAmount(rules.minimumAmount),
  maximum: parseAmount(rules.maximumAmount),
});

/** Ids of routes are compared without letter case; an empty text is no route. */
export const routeOf = (route: string | null | undefined): string | undefined =>
  route === null || route === undefined || route === '' ? undefined : (parseUuid(route) ?? route);

const prepareFees = (fees: FeePackageFields['fees']): readonly PreparedFee[] =>
  Object.entries(fees)
    .sort(([, a], [, b]) => a.priority - b.priority)
    .map(([key, { calculationModel, ...fee }]) => {
      const [first, ...others] = calculationModel.calculations.map(prepareCalculation);
      if (first === undefined) throw new Error('A fee has a calculation');
      const calculations = [first, ...others] as const;
      return { ...fee, key, rule: calculationModel.applicationRule, calculations };
    });

/** Lowest terms keep the numbers short: dividing by 100 takes a fraction of the time of dividing by 10^36. */
export function prepareCalculation({ type, value }: FeeCalculation): PreparedCalculation {
  const amount = parseAmount(value);
  if (type === 'flat') return { type, value, times: 0n, plus: amount, by: 1n };
  const divisor = commonDivisor(amount, PERCENT_UNITS);
  return { type, value, times: amount / divisor, plus: 0n, by: PERCENT_UNITS / divisor };
}

/** An amount of units stands for this fraction of a whole when it is a percentage. */
const PERCENT_UNITS = 100n * 10n ** BigInt(AMOUNT_SCALE);

function commonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
