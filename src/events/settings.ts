import type { Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';

/** A member of metadata by which records of one kind are looked for. */
export type MetadataIndexRecord = Readonly<{
  id: Uuid;
  entityName: string;
  metadataKey: string;
  unique: boolean;
  sparse: boolean;
  createdAt: Instant;
}>;

/** What happens in the settings journal of a tenant. */
export type SettingsEvent =
  | Readonly<{ type: 'MetadataIndexCreated'; data: Readonly<{ index: MetadataIndexRecord }> }>
  | Readonly<{ type: 'MetadataIndexDeleted'; data: Readonly<{ index: MetadataIndexRecord }> }>;
