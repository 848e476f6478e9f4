import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const metadataIndexProjection = projection<SettingsEvent>(
  {
    name: 'metadataIndex',
    version: 2,
    keys: { tenantId: 'text', entityName: 'text' },
    indexes: [['tenantId'], ['tenantId', 'entityName']],
  },
  {
    MetadataIndexCreated: (event) => (event.data.index.building === true ? [] : there(event)),
    MetadataIndexBuilt: there,
    MetadataIndexDeleted: ({ data: { index }, tenantId }) => [
      ...remove(index.id),
      indexRequest(index, tenantId, false),
    ],
  },
);

function there({
  data: { index },
  tenantId,
  revision,
}: Recorded<Readonly<{ index: MetadataIndexRecord }>>): readonly Write[] {
  const row = put({
    id: index.id,
    born: bornAt(revision),
    keys: { tenantId, entityName: index.entityName },
    body: JSON.stringify(index),
  });
  return [...row, indexRequest(index, tenantId, true)];
}

/** Operations have no rows: they are stored in their transactions, and their lists walk one account's. */
const indexRequest = (
  { entityName, metadataKey: key }: MetadataIndexRecord,
  tenantId: string,
  wanted: boolean,
): Write => ({ wish: { collection: collectionOf(entityName), key, tenantId, wanted } });

/** Converts `account_type` to `accountType`. */
const collectionOf = (entityName: string): string =>
  entityName.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
