import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals of transactions written as scripts. */
export const dslExplanations = {
  DSL_INVALID: {
    beyondSchema: 'A script follows its grammar',
    means:
      'The script does not match the grammar at the line and column that are named; or no file is sent under the ' +
      'name dsl; or its name does not contain .gold. Variables have no value, and a scale above zero is not taken.',
  },
  DSL_EMPTY: 'The file that should hold a script has nothing in it.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
