import type { OpenProcessOf } from '#src/kernel/index-table.ts';
import type { SettingsEvent } from './settings.ts';

/** The build of a unique index on metadata, until every journal has claimed its values or the index is deleted. */
export const indexBuild = {
  begins: {
    MetadataIndexCreated: ({ index }) => (index.building === true ? index.id : undefined),
  },
  ends: {
    MetadataIndexBuilt: ({ index }) => ({ key: index.id }),
    MetadataIndexDeleted: ({ index }) => ({ key: index.id }),
  },
} satisfies OpenProcessOf<SettingsEvent>;
