import type { Definition } from '#src/bridge/definition.ts';
import { accountFacts } from './account-facts.ts';
import { recordFacts } from './record-facts.ts';
import { transactionFacts } from './transaction-facts.ts';

/** Everything that the ledger publishes (contract events §6.1 and §7). */
export const definitions: readonly Definition[] = [
  ...recordFacts,
  ...accountFacts,
  ...transactionFacts,
];
