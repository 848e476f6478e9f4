import { bornAt, projection, put } from '#projections/projection.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';

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
    TransactionPosted: ({ data, text, tenantId, revision }) => {
      const { id, ledgerId, createdAt, operations } = data.transaction;
      return put({
        id,
        born: bornAt(revision),
        keys: { tenantId, ledgerId, createdAt },
        body: recordText(data, text) ?? JSON.stringify(data.transaction),
        entries: operations.map(({ accountId, type, direction }, n) => ({
          at: accountId,
          ordinal: n + 1,
          facts: { type, direction, createdAt },
        })),
      });
    },
  },
);

/** The record as the event holds it, byte for byte; undefined when the event holds more than that. */
function recordText(data: object, text: string): string | undefined {
  const alone = text.startsWith(MEMBER) && Object.keys(data).length === 1;
  return alone ? text.slice(MEMBER.length, -1) : undefined;
}

const MEMBER = '{"transaction":';
