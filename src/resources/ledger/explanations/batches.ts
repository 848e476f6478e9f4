import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

/** Refusals of several transactions in one request. */
export const batchExplanations = {
  BATCH_SIZE:
    'A batch of JSON has 1 to 1000 transactions. A body of lines may have any number. A batch of version 2 has as ' +
    'many as the deployment takes: 10, or up to 50.',
  BATCH_LEGS: 'A batch of version 2 has at most 1000 legs in all its transactions.',
  BATCH_TOO_LARGE:
    'The transactions of an atomic batch are recorded together, and would need more than 900 KB. Make it smaller, ' +
    'or let each stand for itself. A batch of version 2 comes to 100 postings and 150 balances at most.',
  BATCH_STRUCTURE:
    'An idempotency key stands in the wrong place: an atomic batch has one key, the X-Idempotency header; otherwise ' +
    'each item has its own idempotencyKey. In a batch of version 2: an action other than direct or hold, an order ' +
    'that is not 1, 2, 3 …, or a leg in another ledger than the first.',
} as const satisfies Partial<Explanations<LedgerRefusalName>>;
