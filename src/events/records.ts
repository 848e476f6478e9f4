import type { Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';
import type { Metadata, Status } from './shared.ts';

/** A group of accounts by what they are for. */
export type SegmentRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  status: Status;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type SegmentEvent =
  | Readonly<{ type: 'SegmentCreated'; data: Readonly<{ segment: SegmentRecord }> }>
  | Readonly<{
      type: 'SegmentUpdated';
      data: Readonly<{ segment: SegmentRecord; changed: readonly string[] }>;
    }>
  | Readonly<{ type: 'SegmentDeleted'; data: Readonly<{ segment: SegmentRecord }> }>;
