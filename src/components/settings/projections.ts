import { metadataIndexProjection } from '#projections/settings/metadata-index.ts';

export const projections = [metadataIndexProjection];
