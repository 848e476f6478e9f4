import { bornAt, projection, put } from '#projections/projection.ts';
import type { LedgerEvent, TransactionPosted } from '#src/events/ledger.ts';
import { readPosted } from '#src/events/posted.ts';

/**
 * Transactions whole, their operations inside. Each operation is also found under its account; it has no row
 * of its own, and its id names the transaction it is part of (domain/ids.ts, wholeId).
 */
export const transactionProjection = projection<LedgerEvent>(
  {
    name: 'transaction',
    version: 1,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ledgerId']],
    entries: { key: 'accountId', facts: { type: 'text', direction: 'text', createdAt: 'text' } },
  },
  {
    TransactionPosted({ text, tenantId, revision }) {
      const { id, ledgerId, createdAt, moves, record } = readPosted(text);
      return put({
        id,
        born: bornAt(revision),
        keys: { tenantId, ledgerId, createdAt },
        body: record ?? JSON.stringify(recordOf(text)),
        entries: moves.map(({ accountId, type, direction }, n) => ({
          at: accountId,
          ordinal: n + 1,
          facts: { type, direction, createdAt },
        })),
      });
    },
  },
);

const recordOf = (text: string) => (JSON.parse(text) as TransactionPosted['data']).transaction;
