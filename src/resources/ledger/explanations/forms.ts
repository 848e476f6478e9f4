import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

/** What only some forms of a transaction can have. */
export const formExplanations = {
  LEGS_IN_SEVERAL_SCOPES: {
    means:
      'All legs of a block or an unblock name one organization and one ledger. Only a direct transaction and a hold ' +
      'may span several.',
    detail: 'credits[0] is in another ledger than debits[0].',
    errors: [{ location: 'credits[0].ledgerId', message: 'is not the ledger of debits[0]' }],
    entityType: 'Transaction',
  },
  EXCEPTION_NOT_SUPPORTED: {
    means:
      'An exception from a block is used when money moves: by a direct transaction, or when a hold is committed. ' +
      'A hold takes none.',
    detail: 'A hold takes no accountBlockExceptionId.',
    errors: [{ location: 'accountBlockExceptionId', message: 'is not taken by a hold' }],
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
