import { parseAmount } from '#src/kernel/amount.ts';
import type { FeePackageFields } from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';

/** The members that say when a package applies. */
export type PackageRange = Pick<
  FeePackageFields,
  | 'ledgerId'
  | 'segmentId'
  | 'transactionRoute'
  | 'metadataSelector'
  | 'minimumAmount'
  | 'maximumAmount'
>;

/**
 * Requires that no other package with the same scope, enabled or not, has amounts in common with this one (contract
 * registry-and-fees §B3). Errors: FEE_PACKAGE_DUPLICATE, FEE_RANGE_OVERLAPS.
 */
export function checkRange(own: PackageRange, others: Iterable<PackageRange>): void {
  const [minimum, maximum] = boundsOf(own);
  const scope = scopeOf(own);
  const found = [...others].filter((one) => scopeOf(one) === scope).map(boundsOf);
  if (found.some(([low, high]) => low === minimum && high === maximum)) {
    const detail = 'Another package has the same scope and the same amounts.';
    throw refuse('FEE_PACKAGE_DUPLICATE', detail);
  }
  if (found.some(([low, high]) => minimum <= high && maximum >= low)) {
    const detail = 'The amounts overlap those of another package with the same scope.';
    throw refuse('FEE_RANGE_OVERLAPS', detail);
  }
}

const boundsOf = ({ minimumAmount, maximumAmount }: PackageRange) =>
  [parseAmount(minimumAmount), parseAmount(maximumAmount)] as const;

const scopeOf = ({ ledgerId, segmentId, transactionRoute, metadataSelector = {} }: PackageRange) =>
  JSON.stringify([ledgerId, segmentId, transactionRoute, Object.entries(metadataSelector).sort()]);
