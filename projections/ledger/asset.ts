import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { AssetRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const assetProjection = projection<LedgerEvent>(
  {
    name: 'asset',
    version: 1,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ledgerId']],
  },
  {
    AssetCreated: whole,
    AssetUpdated: whole,
    AssetDeleted: ({ data: { asset } }) => remove(asset.id),
  },
);

/** It keeps its place in the list. */
function whole({
  data: { asset },
  tenantId,
  revision,
}: Recorded<Readonly<{ asset: AssetRecord }>>): readonly Write[] {
  return put({
    id: asset.id,
    born: bornAt(revision),
    keys: { tenantId, ledgerId: asset.ledgerId, createdAt: asset.createdAt },
    body: JSON.stringify(asset),
  });
}
