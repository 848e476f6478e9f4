import type { Explanations } from '#src/kernel/explanation.ts';
import type { ledgerRefusals } from '#src/events/ledger/refusals.ts';
import { balanceExplanations } from './balances.ts';
import { batchExplanations } from './batches.ts';
import { dslExplanations } from './dsl.ts';
import { formExplanations } from './forms.ts';
import { groupExplanations } from './groups.ts';
import { moneyExplanations } from './money.ts';
import { recordExplanations } from './records.ts';
import { routeExplanations } from './routes.ts';

/** Explains every refusal of the ledger; the type makes a refusal without an explanation a compile error. */
export const ledgerExplanations: Explanations<keyof typeof ledgerRefusals> = {
  ...recordExplanations,
  ...balanceExplanations,
  ...moneyExplanations,
  ...routeExplanations,
  ...formExplanations,
  ...batchExplanations,
  ...groupExplanations,
  ...dslExplanations,
};
