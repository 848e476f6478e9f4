import type { RefusalName } from '#src/domain/errors.ts';
import type { Explanation } from './explanation.ts';

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
  CROSS_LEDGER_DISABLED: {
    means:
      'The legs of the transaction are in several ledgers, and one of these takes no part in such transactions: its ' +
      'setting `crossLedger.enabled` is off.',
    detail: 'The ledger does not take part in transactions over several ledgers.',
    entityType: 'Transaction',
  },
} as const satisfies Partial<Record<RefusalName, Explanation>>;
