import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

const SOME_ID = '0197f3a0-2222-7aaa-8bbb-000000000002';

/** Operation routes and transaction routes, and transactions that must follow them. */
export const routeExplanations = {
  OPERATION_ROUTE_NOT_FOUND: {
    means:
      'The ledger has no such operation route, or a transaction route names one that neither its ledger nor its ' +
      'organization has.',
    detail: 'There is no such operation route.',
    entityType: 'OperationRoute',
  },
  OPERATION_TYPE_INVALID: {
    means: 'An operation route is for a source, for a destination, or bidirectional.',
    detail: 'operationType must be one of "source", "destination", "bidirectional".',
    errors: [
      {
        location: 'operationType',
        message: 'must be one of "source", "destination", "bidirectional"',
        value: 'sideways',
      },
    ],
  },
  OPERATION_ROUTE_IN_USE: {
    means: 'A transaction route uses the operation route. Take it out there first.',
    detail: 'A transaction route uses the operation route.',
    entityType: 'OperationRoute',
  },
  ACCOUNT_RULE_TYPE: {
    means: 'An account rule goes by the alias of an account, or by its type.',
    detail: 'account.ruleType must be alias or account_type.',
    errors: [
      { location: 'account.ruleType', message: 'must be alias or account_type', value: 'name' },
    ],
  },
  ACCOUNT_RULE_VALUE: {
    means: 'A rule by alias has one alias as a string, a rule by account_type a list of types.',
    detail: 'account.validIf must be a list of strings.',
    errors: [
      { location: 'account.validIf', message: 'must be a list of strings', value: 'deposit' },
    ],
  },
  REVERT_NOT_BIDIRECTIONAL: {
    means: 'A reversal turns sides around, so only a bidirectional route has an entry for it.',
    detail: 'The entry revert is not for a source route.',
    errors: [{ location: 'accountingEntries.revert', message: 'is not for a source route' }],
    entityType: 'OperationRoute',
  },
  ENTRY_NOT_ALLOWED: {
    means: 'Nothing is held on a destination: its route has no entries for hold and cancel.',
    detail: 'The entry hold is not for a destination route.',
    errors: [{ location: 'accountingEntries.hold', message: 'is not for a destination route' }],
    entityType: 'OperationRoute',
  },
  ENTRY_SIDE_REQUIRED: {
    means:
      'An entry lacks the side that its route needs: a source is debited, a destination credited, a hold and its ' +
      'cancellation, an overdraft, and every entry of a bidirectional route have both.',
    detail: 'The entry direct.debit is required on a source route.',
    errors: [
      { location: 'accountingEntries.direct.debit', message: 'is required on a source route' },
    ],
    entityType: 'OperationRoute',
  },
  HOLD_GROUP_INCOMPLETE: {
    means: 'What is held is committed or cancelled: the three entries come together.',
    detail: 'The entry cancel is missing beside hold and commit.',
    errors: [
      { location: 'accountingEntries.cancel', message: 'is missing beside hold and commit' },
    ],
    entityType: 'OperationRoute',
  },
  DIRECT_ENTRY_REQUIRED: {
    means: 'Only block and unblock stand without an entry for direct transactions.',
    detail: 'The entry direct is missing beside commit.',
    errors: [{ location: 'accountingEntries.direct', message: 'is missing beside commit' }],
    entityType: 'OperationRoute',
  },
  TOO_FEW_OPERATION_ROUTES: {
    means:
      'A transaction route names at least one operation route, and at least two when they are changed.',
    detail: 'operationRoutes must have at least 1 item.',
    errors: [{ location: 'operationRoutes', message: 'must have at least 1 item', value: [] }],
  },
  TOO_MANY_OPERATION_ROUTES: {
    means: 'A transaction route names at most 100 operation routes.',
    detail: 'operationRoutes must have at most 100 items.',
    errors: [{ location: 'operationRoutes', message: 'must have at most 100 items' }],
  },
  NO_SOURCE_ROUTE: {
    means:
      'Among the operation routes of a transaction route one is for a source, or bidirectional.',
    detail: 'None of the operation routes is for a source.',
    errors: [{ location: 'operationRoutes', message: 'has none for a source' }],
    entityType: 'TransactionRoute',
  },
  NO_DESTINATION_ROUTE: {
    means:
      'Among the operation routes of a transaction route one is for a destination, or bidirectional.',
    detail: 'None of the operation routes is for a destination.',
    errors: [{ location: 'operationRoutes', message: 'has none for a destination' }],
    entityType: 'TransactionRoute',
  },
  TRANSACTION_ROUTE_NOT_FOUND: {
    means:
      'Neither the ledger, nor the organization where that would do, has such a transaction route.',
    detail: 'There is no such transaction route.',
    errors: [{ location: 'routeId', message: 'names no transaction route', value: SOME_ID }],
    entityType: 'TransactionRoute',
  },
  TRANSACTION_ROUTE_REQUIRED: {
    means: 'The ledger validates routes: every transaction names its transaction route.',
    detail: 'The ledger validates routes, and the transaction names none.',
    errors: [{ location: 'routeId', message: 'is required' }],
    entityType: 'Transaction',
  },
  TRANSACTION_ROUTE_INVALID: {
    means: 'The transaction names its route by the deprecated spelling, and that is no UUID.',
    detail: 'The route of the transaction is no UUID.',
    errors: [{ location: 'route', message: 'must be a UUID', value: 'payment' }],
    entityType: 'Transaction',
  },
  NO_ROUTE_FOR_ACTION: {
    means:
      'None of the operation routes of the transaction route has an entry for what is done: a direct transaction, a ' +
      'hold, a commit, a reversal, a block or its end.',
    detail: 'The transaction route has no entry for direct.',
    entityType: 'Transaction',
  },
  ROUTE_LEGS_DIFFER: {
    means:
      'The legs of a side name more or fewer operation routes than the transaction route has for it, or one of those ' +
      'is not used.',
    detail: 'The sources name 2 operation routes, the transaction route has 1 for them.',
    entityType: 'Transaction',
  },
  OUTSIDE_TEMPLATE: {
    means:
      'A leg names no operation route, or one that is not in the transaction route for this action, or one that is ' +
      'for the other side: a source may not name a route for destinations.',
    detail: '@alice#default names no operation route of the transaction route.',
    errors: [
      {
        location: 'send.source.from[0].routeId',
        message: 'names no operation route of the transaction route',
        value: SOME_ID,
      },
    ],
    entityType: 'Transaction',
  },
  COUNTERPART_MISSING: {
    means: 'A bidirectional operation route stands on one side of the transaction only.',
    detail: `The operation route ${SOME_ID} is bidirectional and stands on one side only.`,
    entityType: 'Transaction',
  },
  DIRECTION_AGAINST_ROUTE: {
    means:
      'A source names an operation route for destinations, or a destination one for sources. No operation responds ' +
      'with this code: a route of the other side is OUTSIDE_TEMPLATE.',
    detail: '@alice#default names an operation route for a destination.',
    errors: [
      {
        location: 'send.source.from[0].routeId',
        message: 'names an operation route for a destination',
        value: SOME_ID,
      },
    ],
    entityType: 'Transaction',
  },
  ALIAS_RULE: {
    means: 'The operation route is for the account of one alias, and the leg names another.',
    detail: '@bob#default is not @alice, which its operation route is for.',
    errors: [
      {
        location: 'send.source.from[0].accountAlias',
        message: 'is not @alice, which its operation route is for',
        value: '@bob',
      },
    ],
    entityType: 'Transaction',
  },
  ACCOUNT_TYPE_RULE: {
    means:
      'The operation route is for accounts of certain types, and the account of the leg has another.',
    detail: '@bob#default is of type savings, which its operation route is not for.',
    errors: [
      {
        location: 'send.source.from[0].accountAlias',
        message: 'is of type savings, which its operation route is not for',
        value: '@bob',
      },
    ],
    entityType: 'Transaction',
  },
  ACCOUNT_RULE_DAMAGED: {
    means: 'The account rule of an operation route cannot be read. Set it anew.',
    detail: `The account rule of the operation route ${SOME_ID} cannot be read.`,
    entityType: 'Transaction',
  },
  NO_OVERDRAFT_ENTRY: {
    means:
      'A source would overdraw, and the ledger validates routes: the operation route of the leg has no entry for ' +
      'overdraft.',
    detail:
      'Source account @alice#default would overdraw, and its operation route has no entry for that.',
    entityType: 'Transaction',
  },
  ROUTE_NOT_BIDIRECTIONAL: {
    means:
      'The ledger validates routes, and an operation of the transaction was booked by a route for one side only: what ' +
      'turns sides around needs bidirectional routes.',
    detail: 'The operation route of @alice#default is not bidirectional.',
    entityType: 'Transaction',
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
