import { metadataIndexWriteRoutes } from '#commands/settings/api/metadata-index.ts';
import { metadataIndexReadRoutes } from '#queries/settings/metadata-index.ts';

export const routes = [...metadataIndexWriteRoutes, ...metadataIndexReadRoutes];
