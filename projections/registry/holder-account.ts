import { projection, put, remove } from '#projections/projection.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';

/**
 * The accounts of each holder in all ledgers of an organization, in the order of the log. A row holds ids only: the account
 * itself is in the read model of accounts. The rows of a deleted ledger stay, so that ledger is marked by a row under
 * DELETED_LEDGERS.
 */
export const holderAccountProjection = projection<LedgerEvent>(
  {
    name: 'holderAccount',
    version: 1,
    keys: {
      tenantId: 'text',
      organizationId: 'text',
      holderId: 'text',
      ledgerId: 'text',
      createdAt: 'text',
    },
    indexes: [
      ['tenantId', 'organizationId', 'holderId'],
      ['tenantId', 'organizationId', 'holderId', 'ledgerId'],
    ],
  },
  {
    AccountOpened({ data: { account }, tenantId, position }) {
      const { id, organizationId, ledgerId, holderId, createdAt } = account;
      if (holderId === null) return [];
      return put({
        id,
        born: position,
        keys: { tenantId, organizationId, holderId, ledgerId, createdAt },
        body: JSON.stringify({ id, ledgerId }),
      });
    },
    AccountDeleted: ({ data: { account } }) =>
      account.holderId === null ? [] : remove(account.id),
    LedgerClosed({ data: { ledger }, tenantId, position }) {
      const { id, organizationId, createdAt } = ledger;
      return put({
        id,
        born: position,
        keys: { tenantId, organizationId, holderId: DELETED_LEDGERS, ledgerId: id, createdAt },
        body: JSON.stringify({ ledgerId: id }),
      });
    },
  },
);

export const DELETED_LEDGERS = 'deleted-ledgers';
