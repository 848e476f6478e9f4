import { parseAmount, type Amount } from '#src/kernel/amount.ts';
import type { FeeAccount } from '#src/kernel/fee-charge.ts';
import { EXTERNAL_PREFIX } from '#src/kernel/external-alias.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import type { FeePackageFields } from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';

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

type Applicable = Pick<
  FeePackageFields,
  | 'enable'
  | 'transactionRoute'
  | 'metadataSelector'
  | 'segmentId'
  | 'minimumAmount'
  | 'maximumAmount'
>;

/**
 * Chooses the package that applies to a transaction, among those of its ledger (contract registry-and-fees §B5);
 * undefined if none does. Errors: FEE_PACKAGES_AMBIGUOUS.
 */
export function applicablePackage<Package extends Applicable>(
  packages: readonly Package[],
  occasion: FeeOccasion,
): Package | undefined {
  const { metadata, segmentId, value } = occasion;
  const route = routeOf(occasion.routeId) ?? routeOf(occasion.route);
  const matching = packages.filter(
    ({ enable, transactionRoute, metadataSelector = {} }) =>
      enable &&
      routeOf(transactionRoute) === route &&
      Object.entries(metadataSelector).every(
        ([key, text]) => Object.hasOwn(metadata, key) && metadata[key] === text,
      ),
  );
  const own = matching.filter((one) => segmentId !== undefined && one.segmentId === segmentId);
  const common = matching.filter((one) => one.segmentId === null);
  const inRange = (own.length > 0 ? own : common).filter((one) => isInRange(one, value));
  const pairs = Math.max(...inRange.map(pairsOf));
  const [first, second] = inRange.filter((one) => pairsOf(one) === pairs);
  if (second === undefined) return first;
  throw refuse('FEE_PACKAGES_AMBIGUOUS', 'More than one fee package applies to the transaction.');
}

/** Both bounds are inclusive. */
export const isInRange = (
  { minimumAmount, maximumAmount }: Pick<Applicable, 'minimumAmount' | 'maximumAmount'>,
  value: Amount,
): boolean => parseAmount(minimumAmount) <= value && value <= parseAmount(maximumAmount);

/** Returns the segment that all source accounts share, external ones aside; undefined if they share none. */
export function sharedSegment(sources: readonly FeeAccount[]): Uuid | undefined {
  const [first, ...others] = sources.filter(({ alias }) => !alias.startsWith(EXTERNAL_PREFIX));
  const segment = first?.segmentId;
  return others.every(({ segmentId }) => segmentId === segment) ? segment : undefined;
}

/** Ids of routes are compared without letter case; an empty text is no route. */
const routeOf = (route: string | null | undefined): string | undefined =>
  route === null || route === undefined || route === '' ? undefined : (parseUuid(route) ?? route);

const pairsOf = ({ metadataSelector = {} }: Applicable): number =>
  Object.keys(metadataSelector).length;
