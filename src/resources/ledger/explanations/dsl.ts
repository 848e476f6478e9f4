import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

/** Transactions as scripts. */
export const dslExplanations = {
  DSL_INVALID: {
    beyondSchema: 'A script follows its grammar',
    means:
      'The script does not match the grammar at the line and column that are named; or no file is sent under the ' +
      'name dsl; or its name does not contain .gold. Variables have no value, and a scale above zero is not taken.',
    detail:
      'The script is not valid at line 5, column 12: found ")", expected :amount or :share or :remaining.',
    errors: [
      {
        location: 'dsl',
        message: 'line 5, column 12: found ")", expected :amount or :share or :remaining',
        value: ')',
      },
    ],
  },
  DSL_EMPTY: {
    means: 'The file that should hold a script has nothing in it.',
    detail: 'The script is empty.',
    errors: [{ location: 'dsl', message: 'is empty' }],
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
