import { metadataIndexProjection } from '#projections/settings/metadata-index.ts';
import { rendererOf } from '#queries/renderer.ts';
import type { Renderers } from '#src/ports/read-store.ts';
import { metadataIndexView } from '#src/resources/settings/metadata-index.ts';

export const renderers: Renderers = {
  rows: {
    [metadataIndexProjection.collection.name]: rendererOf(metadataIndexView),
  },
  entries: {},
};
