import type { SegmentRecord } from '#src/events/ledger/records.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  statusView,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

/** Contract ledger §3.2. */
export const createSegmentBody = record(
  { name: name(256), status: newStatus, metadata: newMetadata },
  ['name'],
) satisfies Schema;

export const updateSegmentBody = record(
  { name: changedName(256), status: changedStatus, metadata: changedMetadata },
  [],
) satisfies Schema;

export const segmentSchema = {
  title: 'Segment',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      name: { type: 'string' },
      status: statusView,
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'ledgerId', 'name', 'status', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

export const segmentView = (segment: SegmentRecord) => ({
  id: segment.id,
  organizationId: segment.organizationId,
  ledgerId: segment.ledgerId,
  name: segment.name,
  status: segment.status,
  metadata: segment.metadata,
  createdAt: segment.createdAt,
  updatedAt: segment.updatedAt,
  deletedAt: segment.deletedAt,
});
