import { bornAt, projection, put } from '#projections/projection.ts';
import type { AssetRateRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const assetRateProjection = projection<LedgerEvent>(
  {
    name: 'assetRate',
    version: 1,
    keys: {
      tenantId: 'text',
      ledgerId: 'text',
      from: 'text',
      to: 'text',
      externalId: 'text',
      createdAt: 'text',
    },
    indexes: [
      ['tenantId', 'ledgerId', 'from'],
      ['tenantId', 'ledgerId', 'externalId'],
    ],
  },
  { AssetRateCreated: whole, AssetRateUpdated: whole },
);

/** The row keeps its list position. */
function whole({
  data: { assetRate },
  tenantId,
  revision,
}: Recorded<Readonly<{ assetRate: AssetRateRecord }>>): readonly Write[] {
  const { id, ledgerId, from, to, externalId, createdAt } = assetRate;
  return put({
    id,
    born: bornAt(revision),
    keys: { tenantId, ledgerId, from, to, externalId, createdAt },
    body: JSON.stringify(assetRate),
  });
}
