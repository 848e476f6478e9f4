import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals that only some forms of a transaction can have. */
export const formExplanations = {
  LEGS_IN_SEVERAL_SCOPES:
    'All legs of a block or an unblock name one organization and one ledger. Only a direct transaction and a hold ' +
    'may span several.',
  EXCEPTION_NOT_SUPPORTED: {
    means:
      'An exception from a block is used when money moves: by a direct transaction, or when a hold is committed. ' +
      'A hold takes none.',
    beyondSchema: 'A hold in a batch has no `accountBlockExceptionId`',
  },
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
