import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** An index on a member of metadata of one kind of record. */
export type MetadataIndexRecord = Readonly<{
  id: Uuid;
  entityName: string;
  metadataKey: string;
  unique: boolean;
  sparse: boolean;
  createdAt: Instant;
  /** New values are already checked, while existing ones are being read. */
  building?: true;
}>;

/** The events of the settings journal of a tenant. */
export type SettingsEvent =
  /** `building`: the index is unique, and this is the first of two steps. */
  | Readonly<{ type: 'MetadataIndexCreated'; data: Readonly<{ index: MetadataIndexRecord }> }>
  | Readonly<{ type: 'MetadataIndexBuilt'; data: Readonly<{ index: MetadataIndexRecord }> }>
  /** It is also recorded when the index could not be built. */
  | Readonly<{ type: 'MetadataIndexDeleted'; data: Readonly<{ index: MetadataIndexRecord }> }>;
