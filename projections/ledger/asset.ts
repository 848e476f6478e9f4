import { bornAt, projection, put } from '#projections/projection.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';

export const assetProjection = projection<LedgerEvent>(
  {
    name: 'asset',
    version: 1,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ledgerId']],
  },
  {
    AssetCreated: ({ data: { asset }, tenantId, revision }) =>
      put({
        id: asset.id,
        born: bornAt(revision),
        keys: { tenantId, ledgerId: asset.ledgerId, createdAt: asset.createdAt },
        body: JSON.stringify(asset),
      }),
  },
);
