import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

const SOME_ID = '0197f3a0-2222-7aaa-8bbb-000000000002';

/** Refusals about operation routes, transaction routes, and transactions that must follow them. */
export const routeExplanations = {
  OPERATION_ROUTE_NOT_FOUND:
    'The ledger has no such operation route, or a transaction route names one that neither its ledger nor its ' +
    'organization has.',
  OPERATION_TYPE_INVALID:
    'An operation route is for a source, for a destination, or bidirectional.',
  OPERATION_ROUTE_IN_USE: 'A transaction route uses the operation route. Take it out there first.',
  ACCOUNT_RULE_TYPE: 'An account rule goes by the alias of an account, or by its type.',
  ACCOUNT_RULE_VALUE:
    'A rule by alias has one alias as a string, a rule by account_type a list of types.',
  REVERT_NOT_BIDIRECTIONAL:
    'A reversal turns sides around, so only a bidirectional route has an entry for it.',
  ENTRY_NOT_ALLOWED:
    'Nothing is held on a destination: its route has no entries for hold and cancel.',
  ENTRY_SIDE_REQUIRED:
    'An entry lacks the side that its route needs: a source is debited, a destination credited, a hold and its ' +
    'cancellation, an overdraft, and every entry of a bidirectional route have both.',
  HOLD_GROUP_INCOMPLETE: 'What is held is committed or cancelled: the three entries come together.',
  DIRECT_ENTRY_REQUIRED: 'Only block and unblock stand without an entry for direct transactions.',
  TOO_FEW_OPERATION_ROUTES:
    'A transaction route names at least one operation route, and at least two when they are changed.',
  TOO_MANY_OPERATION_ROUTES: 'A transaction route names at most 100 operation routes.',
  NO_SOURCE_ROUTE:
    'Among the operation routes of a transaction route one is for a source, or bidirectional.',
  NO_DESTINATION_ROUTE:
    'Among the operation routes of a transaction route one is for a destination, or bidirectional.',
  TRANSACTION_ROUTE_NOT_FOUND:
    'Neither the ledger, nor the organization where that would do, has such a transaction route.',
  TRANSACTION_ROUTE_REQUIRED:
    'The ledger validates routes: every transaction names its transaction route.',
  TRANSACTION_ROUTE_INVALID:
    'The transaction names its route by the deprecated spelling, and that is no UUID.',
  NO_ROUTE_FOR_ACTION:
    'None of the operation routes of the transaction route has an entry for what is done: a direct transaction, a ' +
    'hold, a commit, a reversal, a block or its end.',
  ROUTE_LEGS_DIFFER:
    'The legs of a side name more or fewer operation routes than the transaction route has for it, or one of those ' +
    'is not used.',
  OUTSIDE_TEMPLATE:
    'A leg names no operation route, or one that is not in the transaction route for this action, or one that is ' +
    'for the other side: a source may not name a route for destinations.',
  COUNTERPART_MISSING:
    'A bidirectional operation route stands on one side of the transaction only.',
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
  ALIAS_RULE: 'The operation route is for the account of one alias, and the leg names another.',
  ACCOUNT_TYPE_RULE:
    'The operation route is for accounts of certain types, and the account of the leg has another.',
  ACCOUNT_RULE_DAMAGED: {
    means: 'The account rule of an operation route cannot be read. Set it anew.',
    detail: `The account rule of the operation route ${SOME_ID} cannot be read.`,
    entityType: 'Transaction',
  },
  NO_OVERDRAFT_ENTRY:
    'A source would overdraw, and the ledger validates routes: the operation route of the leg has no entry for ' +
    'overdraft.',
  ROUTE_NOT_BIDIRECTIONAL:
    'The ledger validates routes, and an operation of the transaction was booked by a route for one side only: what ' +
    'turns sides around needs bidirectional routes.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
