import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { SegmentEvent, SegmentRecord } from '#src/events/ledger/records.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const segmentProjection = projection<SegmentEvent>(
  {
    name: 'segment',
    version: 1,
    keys: { tenantId: 'text', ledgerId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'ledgerId']],
  },
  {
    SegmentCreated: whole,
    SegmentUpdated: whole,
    SegmentDeleted: ({ data: { segment } }) => remove(segment.id),
  },
);

/** It keeps its place in the list. */
function whole({
  data: { segment },
  tenantId,
  revision,
}: Recorded<Readonly<{ segment: SegmentRecord }>>): readonly Write[] {
  return put({
    id: segment.id,
    born: bornAt(revision),
    keys: { tenantId, ledgerId: segment.ledgerId, createdAt: segment.createdAt },
    body: JSON.stringify(segment),
  });
}
