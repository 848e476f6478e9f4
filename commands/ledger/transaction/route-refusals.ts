import type { RefusalName } from '#src/domain/errors.ts';

const template = [
  'TRANSACTION_ROUTE_REQUIRED',
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'OUTSIDE_TEMPLATE',
] as const satisfies readonly RefusalName[];

/** What an inflow is refused for, where routes are validated: its source is the world outside, which owes nothing. */
export const inflowByRoutes = [
  ...template,
  'COUNTERPART_MISSING',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
] as const satisfies readonly RefusalName[];

/**
 * What a hold is refused for, whose destinations are asked for another entry than its sources, and an outflow, whose
 * destination no client names a route for: neither can go against one.
 */
export const heldByRoutes = [
  ...inflowByRoutes,
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
