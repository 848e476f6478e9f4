import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import {
  ifChanged,
  mergedMetadata,
  patched,
  patchedStatus,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { SegmentEvent, SegmentRecord } from '#src/events/ledger/records.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#commands/ledger/state/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { newRecord, deletedRecord } from './record-life.ts';
import type { Records, Segment } from '#commands/ledger/state/records.ts';

export type CreateSegment = Readonly<{
  type: 'CreateSegment';
  organizationId: Uuid;
  fields: Pick<SegmentRecord, 'name' | 'status' | 'metadata'>;
}>;

/** A member that is absent stays as it is; metadata are merged. */
export type UpdateSegment = Readonly<{
  type: 'UpdateSegment';
  organizationId: Uuid;
  segmentId: Uuid;
  changes: Readonly<{
    name?: string | undefined;
    status?: StatusChanges | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteSegment = Readonly<{
  type: 'DeleteSegment';
  organizationId: Uuid;
  segmentId: Uuid;
}>;

export type SegmentCommand = CreateSegment | UpdateSegment | DeleteSegment;

export function needsSegment(
  { records: { segments } }: Ledger,
  command: SegmentCommand,
  facts: Facts,
): Needs | undefined {
  const known = command.type === 'CreateSegment' ? undefined : segments.get(command.segmentId);
  return known && needsBeforeImages(facts, known.revision);
}

/** Accounts that name a segment do not keep it, and keep its id when it is gone. */
export function decideSegment(
  ledger: Ledger,
  command: SegmentCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<SegmentEvent> {
  switch (command.type) {
    case 'CreateSegment':
      return createSegment(ledger, command, stamp);
    case 'UpdateSegment':
      return updateSegment(ledger, command, facts, stamp);
    case 'DeleteSegment': {
      const { revision } = ledger.records.segments.get(command.segmentId) ?? notFound();
      const segment = deletedRecord(beforeImage('segment', revision, facts), stamp.instant);
      return [{ type: 'SegmentDeleted', data: { segment } }];
    }
    default:
      return unreachable(command);
  }
}

export function evolveSegments(
  segments: Records<Segment>,
  { type, data: { segment } }: SegmentEvent,
  revision: Revision,
): void {
  if (type === 'SegmentDeleted') segments.remove(segment.id);
  else segments.put({ id: detached(segment.id), name: detached(segment.name), revision });
}

function createSegment(ledger: Ledger, { fields }: CreateSegment, stamp: Stamp): SegmentEvent[] {
  checkFree(ledger, fields.name);
  const segment: SegmentRecord = newRecord(ledger, fields, stamp);
  checkRecordSize(segment);
  return [{ type: 'SegmentCreated', data: { segment } }];
}

function updateSegment(
  ledger: Ledger,
  { segmentId, changes }: UpdateSegment,
  facts: Facts,
  { instant }: Stamp,
): Decision<SegmentEvent> {
  const known = ledger.records.segments.get(segmentId) ?? notFound();
  const { name, status, metadata } = changes;
  if (name !== undefined && name !== known.name) checkFree(ledger, name);

  const before = beforeImage('segment', known.revision, facts);
  const patch = {
    ...(name !== undefined && { name }),
    status: patchedStatus(before.status, status),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: segment, changed } = patched<SegmentRecord>(before, patch, instant);
  checkRecordSize(segment);
  return ifChanged({ type: 'SegmentUpdated', data: { segment, changed } });
}

/** Names are compared with their letter case. Errors: SEGMENT_NAME_TAKEN. */
function checkFree({ records: { segments } }: Ledger, name: string): void {
  if (segments.having(name) === undefined) return;
  throw refuse('SEGMENT_NAME_TAKEN', `The ledger has a segment named ${name}.`, {
    findings: [{ location: 'name', message: 'is taken', value: name }],
  });
}

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such segment.');
}
