import type { RefusalName } from '#src/domain/errors.ts';

/** What a form is refused for, where routes are validated, that has a leg without one (contract ledger §7.8). */
export const template = [
  'TRANSACTION_ROUTE_REQUIRED',
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'OUTSIDE_TEMPLATE',
] as const satisfies readonly RefusalName[];

/** What a hold is refused for: its destinations are asked for another entry than its sources. */
export const heldByRoutes = [
  ...template,
  'COUNTERPART_MISSING',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
  'NO_OVERDRAFT_ENTRY',
] as const satisfies readonly RefusalName[];

export const byRoutes = [
  ...heldByRoutes,
  'DIRECTION_AGAINST_ROUTE',
] as const satisfies readonly RefusalName[];

/** Where the deprecated spelling is known. */
export const bySpelling = 'TRANSACTION_ROUTE_INVALID';

/** What is committed was followed before: by now its routes may have changed, or be gone. */
export const committedByRoutes = [
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
] as const satisfies readonly RefusalName[];

export const revertedByRoutes = [
  ...heldByRoutes,
  bySpelling,
  'ROUTE_NOT_BIDIRECTIONAL',
] as const satisfies readonly RefusalName[];
