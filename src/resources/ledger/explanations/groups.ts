import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals of transactions over several ledgers. */
export const groupExplanations = {
  CROSS_LEDGER_DISABLED:
    'The legs of the transaction are in several ledgers, and one of these takes no part in such transactions: its ' +
    'setting `crossLedger.enabled` is off.',
  GROUP_ASSETS:
    'All accounts of a transaction over several ledgers hold one asset; this one is of another.',
  GROUP_ORGANIZATIONS:
    'The legs of the transaction are in several organizations, and one of the ledgers validates routes, which are ' +
    'known inside one organization only.',
  GROUP_MEMBER:
    'The transaction is part of one over several ledgers. It is committed, cancelled or reverted with all of it, ' +
    'through version 2.',
  GROUP_INCONSISTENT:
    'The group of the transaction is not there whole: one of its ledgers was deleted, or does not have its part.',
  GROUP_FINISHED: 'The group was committed, cancelled or reverted already; that happens once.',
  BRIDGE_ROUTE_MISSING:
    'The ledger validates routes, and what leaves or enters it is bridged by a leg on its external account. That leg is ' +
    'booked by the operation route of the transaction route which is for its side and has the entry `crossLedger` for ' +
    'it: a source when something enters the ledger, a destination when something leaves it. There is none.',
  BRIDGE_ROUTE_AMBIGUOUS:
    'Several operation routes of the transaction route could book the leg that bridges the ledger with the others: ' +
    'exactly one for that side may have the entry `crossLedger`.',
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
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
