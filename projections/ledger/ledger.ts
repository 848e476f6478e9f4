import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger/ledger.ts';

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
      whole(ledger, tenantId, reservedAt.revision),
    // The row keeps its list position.
    LedgerUpdated: ({ data: { ledger }, tenantId }) => whole(ledger, tenantId, 0),
    LedgerSettingsChanged: ({ data: { ledger }, tenantId }) => whole(ledger, tenantId, 0),
    LedgerClosed: ({ data: { ledger } }) => remove(ledger.id),
  },
);

const whole = (ledger: LedgerRecord, tenantId: string, reservedAt: Revision) =>
  put({
    id: ledger.id,
    born: bornAt(reservedAt),
    keys: {
      tenantId,
      organizationId: ledger.organizationId,
      name: ledger.name.toLowerCase(), // Clients search by prefix and ignore letter case.
      status: ledger.status.code,
      createdAt: ledger.createdAt,
    },
    body: JSON.stringify(ledger),
  });
