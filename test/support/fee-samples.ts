import { feesDecider } from '#commands/fees/fees.ts';
import type { Fee, FeePackageFields } from '#src/events/fees/fee-package.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import type { KnownJournals } from './decider-spec.ts';
import { idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

export const FEE_PACKAGE = idOf('fee package');
export const ROUTE_FROM = idOf('fee route from');
export const ROUTE_TO = idOf('fee route to');

/** A fee by its values: `'15'` is a flat one, `'2%'` a percentage, `'5 2%'` the larger of both. */
export function fee(values: string, changes: Partial<Fee> = {}): Fee {
  const calculations = values.split(' ').map((value) => {
    const type = value.endsWith('%') ? ('percentage' as const) : ('flat' as const);
    return { type, value: value.replace('%', '') };
  });
  const [first] = calculations;
  const single = first?.type === 'flat' ? 'flatFee' : 'percentual';
  const applicationRule = calculations.length > 1 ? 'maxBetweenTypes' : single;
  return {
    feeLabel: 'Fee',
    calculationModel: { applicationRule, calculations },
    referenceAmount: 'originalAmount',
    priority: 1,
    isDeductibleFrom: false,
    creditAccount: '@fees',
    ...changes,
  };
}

export type SampleFeePackage = FeePackageFields & Readonly<{ id: Uuid }>;

export const feePackage = (
  fees: Readonly<Record<string, Fee>>,
  changes: Partial<SampleFeePackage> = {},
): SampleFeePackage => ({
  id: FEE_PACKAGE,
  organizationId: ORGANIZATION,
  ledgerId: LEDGER,
  feeGroupLabel: 'Standard',
  description: null,
  segmentId: null,
  transactionRoute: null,
  minimumAmount: '0',
  maximumAmount: '1000000',
  waivedAccounts: null,
  fees,
  enable: true,
  ...changes,
});

/** The journal of fees as a ledger finds it: at revision 7, with these packages. */
export function knownFees(...packages: readonly SampleFeePackage[]): KnownJournals {
  const state = feesDecider.initialState();
  packages.forEach((one, revision) => {
    const feePackage = { ...one, createdAt: NOW, updatedAt: NOW, deletedAt: null };
    feesDecider.evolve(state, { type: 'FeePackageCreated', data: { feePackage } }, revision);
  });
  const fact = feesDecider.fact(state);
  return fact === undefined ? {} : { [feesJournal(ORGANIZATION)]: { ...fact, revision: 7 } };
}
