import type { RefusalName } from './errors.ts';
import { balanceExplanations } from './explanations/balances.ts';
import { batchExplanations } from './explanations/batches.ts';
import { dslExplanations } from './explanations/dsl.ts';
import { formExplanations } from './explanations/forms.ts';
import type { Explanation } from './explanations/explanation.ts';
import { groupExplanations } from './explanations/groups.ts';
import { moneyExplanations } from './explanations/money.ts';
import { recordExplanations } from './explanations/records.ts';
import { requestExplanations } from './explanations/request.ts';
import { routeExplanations } from './explanations/routes.ts';
import { serviceExplanations } from './explanations/service.ts';

/** What each refusal means. Its type makes a refusal without an explanation a compile error. */
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
