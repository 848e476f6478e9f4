import { metadataIndexProjection } from '#projections/settings/metadata-index.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import type { Renderers } from '#src/ports/read-store.ts';
import { metadataIndexView } from '#src/resources/settings/metadata-index.ts';

export const renderers: Renderers = {
  rows: {
    [metadataIndexProjection.collection.name]: ({ body }) =>
      JSON.stringify(metadataIndexView(JSON.parse(body) as MetadataIndexRecord)),
  },
  entries: {},
};
