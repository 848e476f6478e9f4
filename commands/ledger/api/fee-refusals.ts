import type { FeeRefusalName } from '#src/events/fees/refusals.ts';
import type { ComponentCodes } from '#src/http/error-code.ts';

/** The refusals of creations that fees are charged on (contract registry-and-fees §B8). */
export const byFees = [
  'FEE_PACKAGES_AMBIGUOUS',
  'FEE_NOT_COMPUTABLE',
  'FEE_DEDUCTION_TOO_LARGE',
  'FEE_CREDIT_ACCOUNT_NOT_FOUND',
  'FEE_PACKAGES_UNAVAILABLE',
] as const satisfies readonly FeeRefusalName[];

/** A missing credit account is not what the request addresses: the package breaks a rule. */
export const feeCodes: ComponentCodes = { FEE_CREDIT_ACCOUNT_NOT_FOUND: { kind: 'rule' } };
