import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';

const template = [
  'TRANSACTION_ROUTE_REQUIRED',
  'TRANSACTION_ROUTE_NOT_FOUND',
  'NO_ROUTE_FOR_ACTION',
  'ROUTE_LEGS_DIFFER',
  'OUTSIDE_TEMPLATE',
] as const satisfies readonly LedgerRefusalName[];

/** What an inflow is refused for, where routes are validated: its source is the world outside, which owes nothing. */
export const inflowByRoutes = [
  ...template,
  'COUNTERPART_MISSING',
  'ALIAS_RULE',
  'ACCOUNT_TYPE_RULE',
  'ACCOUNT_RULE_DAMAGED',
] as const satisfies readonly LedgerRefusalName[];

/** What anything with a source of the ledger is refused for, where routes are validated. */
export const byRoutes = [
  ...inflowByRoutes,
  'NO_OVERDRAFT_ENTRY',
] as const satisfies readonly LedgerRefusalName[];

/** Where the deprecated spelling is known. */
export const bySpelling = 'TRANSACTION_ROUTE_INVALID';

/** What is committed was followed before: by now its routes may have changed, or be gone. */
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
