import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Explanation } from '#src/kernel/explanation.ts';

/** Several transactions in one request. */
export const batchExplanations = {
  BATCH_SIZE: {
    means:
      'A batch of JSON has 1 to 1000 transactions. A body of lines may have any number. A batch of version 2 has as ' +
      'many as the deployment takes: 10, or up to 50.',
    detail: 'transactions must have at least 1 item.',
    errors: [{ location: 'transactions', message: 'must have at least 1 item', value: [] }],
  },
  BATCH_LEGS: {
    means: 'A batch of version 2 has at most 1000 legs in all its transactions.',
    detail: 'The batch has 1002 legs, more than 1000.',
    errors: [{ location: 'transactions', message: 'have 1002 legs, more than 1000' }],
  },
  BATCH_TOO_LARGE: {
    means:
      'The transactions of an atomic batch are recorded together, and would need more than 900 KB. Make it smaller, ' +
      'or let each stand for itself. A batch of version 2 comes to 100 postings and 150 balances at most.',
    detail: 'The batch would be recorded in more than 900 KB.',
    entityType: 'Transaction',
  },
  BATCH_STRUCTURE: {
    means:
      'An idempotency key stands in the wrong place: an atomic batch has one key, the X-Idempotency header; otherwise ' +
      'each item has its own idempotencyKey. In a batch of version 2: an action other than direct or hold, an order ' +
      'that is not 1, 2, 3 …, or a leg in another ledger than the first.',
    detail: 'A key stands in the wrong place: each item of this batch carries its own key.',
    errors: [
      {
        location: 'header.X-Idempotency',
        message: 'each item of this batch carries its own key',
      },
    ],
  },
} as const satisfies Partial<Record<LedgerRefusalName, Explanation>>;
