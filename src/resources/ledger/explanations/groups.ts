import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

/** Transactions over several ledgers. */
export const groupExplanations = {
  CROSS_LEDGER_DISABLED: {
    means:
      'The legs of the transaction are in several ledgers, and one of these takes no part in such transactions: its ' +
      'setting `crossLedger.enabled` is off.',
    detail: 'The ledger does not take part in transactions over several ledgers.',
    entityType: 'Transaction',
  },
  GROUP_ASSETS: {
    means:
      'All accounts of a transaction over several ledgers hold one asset; this one is of another.',
    detail: '@alice#default holds USD, the group moves BRL.',
    errors: [
      { location: 'debits[0].alias', message: 'holds USD, the group moves BRL', value: '@alice' },
    ],
    entityType: 'Transaction',
  },
  GROUP_ORGANIZATIONS: {
    means:
      'The legs of the transaction are in several organizations, and one of the ledgers validates routes, which are ' +
      'known inside one organization only.',
    detail: 'The ledger validates routes, and the group is of several organizations.',
    entityType: 'Transaction',
  },
  GROUP_MEMBER: {
    means:
      'The transaction is part of one over several ledgers. It is committed, cancelled or reverted with all of it, ' +
      'through version 2.',
    detail: 'The transaction is part of a group; use version 2.',
    entityType: 'Transaction',
  },
  GROUP_INCONSISTENT: {
    means:
      'The group of the transaction is not there whole: one of its ledgers was deleted, or does not have its part.',
    detail: 'A ledger of the group is not there.',
    entityType: 'Transaction',
  },
  GROUP_FINISHED: {
    means: 'The group was committed, cancelled or reverted already; that happens once.',
    detail: 'The group is POSTED.',
    entityType: 'Transaction',
  },
  BRIDGE_ROUTE_MISSING: {
    means:
      'The ledger validates routes, and what leaves or enters it is bridged by a leg on its external account. That leg is ' +
      'booked by the operation route of the transaction route which is for its side and has the entry `crossLedger` for ' +
      'it: a source when something enters the ledger, a destination when something leaves it. There is none.',
    detail: 'The transaction route has no operation route with crossLedger.credit.',
    entityType: 'Transaction',
  },
  BRIDGE_ROUTE_AMBIGUOUS: {
    means:
      'Several operation routes of the transaction route could book the leg that bridges the ledger with the others: ' +
      'exactly one for that side may have the entry `crossLedger`.',
    detail: 'The transaction route has 2 operation routes with crossLedger.credit.',
    entityType: 'Transaction',
  },
  TRANSACTION_BUSY: {
    means:
      'Another call is committing, cancelling or reverting the transaction or its group, or its creation has not ended. ' +
      'Read it in a moment.',
    detail: 'The group is being committed.',
    entityType: 'Transaction',
  },
  ACCOUNT_HELD: {
    means:
      'The account, or its ledger, awaits its part of a transaction over several ledgers that is being posted. Try ' +
      'again in a moment.',
    detail: '@alice awaits a part of a group.',
    entityType: 'Account',
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
