import type { CreateSegment, DeleteSegment, UpdateSegment } from '#commands/ledger/segment.ts';
import type { SegmentEvent, SegmentRecord } from '#src/events/records.ts';
import { idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

const ACTIVE = { code: 'ACTIVE', description: null } as const;
const OF = { organizationId: ORGANIZATION } as const;
const IN = { ...OF, ledgerId: LEDGER } as const;
const BORN = { createdAt: NOW, updatedAt: NOW, deletedAt: null } as const;

/* Segment */

export const createSegment = (fields: Partial<CreateSegment['fields']> = {}): CreateSegment => ({
  type: 'CreateSegment',
  ...OF,
  fields: { name: 'Retail', status: ACTIVE, ...fields },
});

export const segmentId = (name: string) => idOf(`segment ${name}`);

/** A segment by its name. */
export function segmentCreated(
  changes: Partial<SegmentRecord> = {},
): SegmentEvent & { type: 'SegmentCreated' } {
  const name = changes.name ?? 'Retail';
  const segment = { id: segmentId(name), ...IN, name, status: ACTIVE, ...changes, ...BORN };
  return { type: 'SegmentCreated', data: { segment } };
}

export const updateSegment = (
  changes: UpdateSegment['changes'],
  name = 'Retail',
): UpdateSegment => ({
  type: 'UpdateSegment',
  ...OF,
  segmentId: segmentId(name),
  changes,
});

export const deleteSegment = (name = 'Retail'): DeleteSegment => ({
  type: 'DeleteSegment',
  ...OF,
  segmentId: segmentId(name),
});
