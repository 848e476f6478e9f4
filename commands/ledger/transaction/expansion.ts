import { refuse } from '#src/events/ledger/refusals.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import type { Expansion } from './commands.ts';

/** Errors: BATCH_TOO_LARGE when the transactions exceed the allowed size. */
export function checkExpansion(events: readonly TransactionEvent[], most: Expansion): void {
  const found = expansionOf(events);
  for (const what of ['postings', 'balances'] as const) {
    if (found[what] <= most[what]) continue;
    const detail = `The batch comes to ${found[what]} ${what}, more than ${most[what]}.`;
    throw refuse('BATCH_TOO_LARGE', detail);
  }
}

/** An overdraft counts as a balance, but not as a posting. */
function expansionOf(events: readonly TransactionEvent[]): Expansion {
  const balances = new Set<string>();
  let postings = 0;
  for (const { data } of events) {
    const { operations, awaiting = [] } = data.transaction;
    for (const { accountId, balanceKey } of [...operations, ...awaiting]) {
      balances.add(`${accountId} ${balanceKey}`);
    }
    postings += operations.filter(({ origin }) => origin !== 'overdraft').length + awaiting.length;
  }
  return { postings, balances: balances.size };
}
