import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { SettingsEvent } from '#src/events/settings.ts';

export const metadataIndexProjection = projection<SettingsEvent>(
  {
    name: 'metadataIndex',
    version: 1,
    keys: { tenantId: 'text', entityName: 'text' },
    indexes: [['tenantId'], ['tenantId', 'entityName']],
  },
  {
    MetadataIndexCreated: ({ data: { index }, tenantId, revision }) =>
      put({
        id: index.id,
        born: bornAt(revision),
        keys: { tenantId, entityName: index.entityName },
        body: JSON.stringify(index),
      }),
    MetadataIndexDeleted: ({ data: { index } }) => remove(index.id),
  },
);
