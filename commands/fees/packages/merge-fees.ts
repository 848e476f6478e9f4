import { KEYS_MAX, tooManyKeys } from '#src/kernel/free-keys.ts';
import type { Fee, Fees } from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';

/** The members of a fee that an update sends; null removes an optional one. */
export type FeeChanges = { readonly [Member in keyof Fee]?: Fee[Member] | null };

/** Fees by key; null removes one. */
export type FeesChanges = Readonly<Record<string, FeeChanges | null>>;

const REQUIRED = [
  ...(['feeLabel', 'calculationModel', 'referenceAmount', 'priority'] as const),
  ...(['isDeductibleFrom', 'creditAccount'] as const),
];

/**
 * Merges an update into the fees of a package (contract registry-and-fees §B4); undefined if it concerns no fee. Errors:
 * FEE_INCOMPLETE for a new fee that lacks members, REQUIRED_FIELDS if no fee is left.
 */
export function mergedFees(before: Fees, changes: FeesChanges | undefined): Fees | undefined {
  const sent = Object.entries(changes ?? {}).filter(
    ([key, change]) => change !== null || Object.hasOwn(before, key),
  );
  if (sent.length === 0) return undefined;
  const fees = new Map(Object.entries(before));
  for (const [key, change] of sent) {
    if (change === null) fees.delete(key);
    else fees.set(key, mergedFee(key, fees.get(key), change));
  }
  if (fees.size === 0) {
    throw refuse('REQUIRED_FIELDS', 'A package must have at least one fee.', {
      findings: [{ location: 'fees', message: 'must keep at least one fee' }],
    });
  }
  if (fees.size > KEYS_MAX) throw tooManyKeys('The package');
  return Object.fromEntries(fees);
}

function mergedFee(key: string, before: Fee | undefined, change: FeeChanges): Fee {
  const merged = feeOf({ ...before, ...change });
  const given: FeeChanges = merged;
  const missing = REQUIRED.filter((member) => given[member] === undefined);
  if (missing.length === 0) return merged;
  throw refuse('FEE_INCOMPLETE', `The new fee ${key} needs ${missing.join(', ')}.`, {
    findings: missing.map((member) => ({
      location: `fees.${key}.${member}`,
      message: 'is required for a new fee',
    })),
  });
}

/** Returns a fee with its members in their order, without those that are not set. */
export function feeOf(members: FeeChanges): Fee {
  const { routeFrom, routeTo, deferrable } = members;
  const required = REQUIRED.map((member) => [member, members[member]] as const);
  return {
    ...(Object.fromEntries(required) as Fee),
    ...(typeof routeFrom === 'string' && { routeFrom }),
    ...(typeof routeTo === 'string' && { routeTo }),
    ...(deferrable === true && { deferrable }),
  };
}
