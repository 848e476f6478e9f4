import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** A member of metadata by which records of one kind are looked for. */
export type MetadataIndexRecord = Readonly<{
  id: Uuid;
  entityName: string;
  metadataKey: string;
  unique: boolean;
  sparse: boolean;
  createdAt: Instant;
  /** Records are held to it already, and their values are being looked through. */
  building?: true;
}>;

/** What happens in the settings journal of a tenant. */
export type SettingsEvent =
  /** `building`: first of two steps, when it is unique. */
  | Readonly<{ type: 'MetadataIndexCreated'; data: Readonly<{ index: MetadataIndexRecord }> }>
  | Readonly<{ type: 'MetadataIndexBuilt'; data: Readonly<{ index: MetadataIndexRecord }> }>
  /** Also when it could not be built. */
  | Readonly<{ type: 'MetadataIndexDeleted'; data: Readonly<{ index: MetadataIndexRecord }> }>;
