import type { Amount } from '#src/kernel/amount.ts';
import type { FeeAccount } from '#src/kernel/fee-charge.ts';
import { EXTERNAL_PREFIX } from '#src/kernel/external-alias.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { routeOf, type PackageScope } from './prepared-package.ts';

/** The transaction, as far as the choice of its package depends on it. */
export type FeeOccasion = Readonly<{
  routeId?: string | undefined;
  route?: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  /** The segment of the request, or the one that its sources share. */
  segmentId: Uuid | undefined;
  /** Before fees. */
  value: Amount;
}>;

/**
 * Chooses the package that applies to a transaction, among those of its ledger (contract registry-and-fees §B5);
 * undefined if none does. Errors: FEE_PACKAGES_AMBIGUOUS.
 */
export function applicablePackage<Package extends PackageScope>(
  packages: readonly Package[],
  occasion: FeeOccasion,
): Package | undefined {
  const { metadata, segmentId, value } = occasion;
  const route = routeOf(occasion.routeId) ?? routeOf(occasion.route);
  const matching = packages.filter(
    (one) => one.enable && one.route === route && isSelected(one, metadata),
  );
  const own = segmentId === undefined ? [] : matching.filter((one) => one.segmentId === segmentId);
  const inScope = own.length > 0 ? own : matching.filter((one) => one.segmentId === null);
  const inRange = inScope.filter((one) => isInRange(one, value));
  if (inRange.length < 2) return inRange[0];
  const pairs = Math.max(...inRange.map(({ selector }) => selector.length));
  const [first, second] = inRange.filter(({ selector }) => selector.length === pairs);
  if (second === undefined) return first;
  throw refuse('FEE_PACKAGES_AMBIGUOUS', 'More than one fee package applies to the transaction.');
}

const isSelected = (
  { selector }: Pick<PackageScope, 'selector'>,
  metadata: FeeOccasion['metadata'],
): boolean =>
  selector.every(([key, text]) => Object.hasOwn(metadata, key) && metadata[key] === text);

/** Both bounds are inclusive. */
export const isInRange = (
  { minimum, maximum }: Pick<PackageScope, 'minimum' | 'maximum'>,
  value: Amount,
): boolean => minimum <= value && value <= maximum;

/** Returns the segment that all source accounts share, external ones aside; undefined if they share none. */
export function sharedSegment(sources: readonly FeeAccount[]): Uuid | undefined {
  const [first, ...others] = sources.filter(({ alias }) => !alias.startsWith(EXTERNAL_PREFIX));
  const segment = first?.segmentId;
  return others.every(({ segmentId }) => segmentId === segment) ? segment : undefined;
}
