import type { RefusalName } from './errors.ts';
import { balanceExplanations } from '#src/kernel/explanations/balances.ts';
import { batchExplanations } from '#src/kernel/explanations/batches.ts';
import { dslExplanations } from '#src/kernel/explanations/dsl.ts';
import { formExplanations } from '#src/kernel/explanations/forms.ts';
import type { Explanation } from '#src/kernel/explanations/explanation.ts';
import { groupExplanations } from '#src/kernel/explanations/groups.ts';
import { moneyExplanations } from '#src/kernel/explanations/money.ts';
import { recordExplanations } from '#src/kernel/explanations/records.ts';
import { requestExplanations } from '#src/kernel/explanations/request.ts';
import { routeExplanations } from '#src/kernel/explanations/routes.ts';
import { serviceExplanations } from '#src/kernel/explanations/service.ts';

/** Explains every refusal; the type makes a refusal without an explanation a compile error. */
export const explanations: Readonly<Record<RefusalName, Explanation>> = {
  ...requestExplanations,
  ...recordExplanations,
  ...balanceExplanations,
  ...moneyExplanations,
  ...routeExplanations,
  ...formExplanations,
  ...batchExplanations,
  ...groupExplanations,
  ...dslExplanations,
  ...serviceExplanations,
};
