import { bornAt, projection, put } from '#projections/projection.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';

/** Ledgers, in the order in which their names were reserved in the organization's journal. */
export const ledgerProjection = projection<LedgerEvent>(
  {
    name: 'ledger',
    version: 1,
    keys: {
      tenantId: 'text',
      organizationId: 'text',
      name: 'text',
      status: 'text',
      createdAt: 'text',
    },
    indexes: [['tenantId', 'organizationId']],
  },
  {
    LedgerOpened: ({ data: { ledger, reservedAt }, tenantId }) =>
      put({
        id: ledger.id,
        born: bornAt(reservedAt.revision),
        keys: {
          tenantId,
          organizationId: ledger.organizationId,
          name: ledger.name.toLowerCase(), // Looked for by its beginning, in any letter case.
          status: ledger.status.code,
          createdAt: ledger.createdAt,
        },
        body: JSON.stringify(ledger),
      }),
  },
);
