import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';

const template = [
  'TRANSACTION_ROUTE_REQUIRED',
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'OUTSIDE_TEMPLATE',
] as const satisfies readonly LedgerRefusalName[];

/** The refusals of an inflow in a ledger that validates routes. Its source is external and cannot overdraw. */
export const inflowByRoutes = [
  ...template,
  'COUNTERPART_MISSING',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
] as const satisfies readonly LedgerRefusalName[];

/** The refusals of any other new transaction. */
export const byRoutes = [
  ...inflowByRoutes,
  'NO_OVERDRAFT_ENTRY',
] as const satisfies readonly LedgerRefusalName[];

/** The refusal of operations that accept the deprecated spelling. */
export const bySpelling = 'TRANSACTION_ROUTE_INVALID';

/** The refusals of a commit: its routes may have changed or been deleted since it was held. */
export const committedByRoutes = [
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'OUTSIDE_TEMPLATE',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
] as const satisfies readonly LedgerRefusalName[];

export const revertedByRoutes = [
  ...byRoutes,
  bySpelling,
  'ROUTE_NOT_BIDIRECTIONAL',
] as const satisfies readonly LedgerRefusalName[];
