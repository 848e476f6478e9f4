import type { RecordResource } from '#src/kernel/record-resource.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  recordView,
  statusView,
} from '#src/kernel/schema-fragments.ts';

/** Contract ledger §3.2. */
export const segmentResource = {
  name: 'Segment',
  nouns: ['a segment', 'segments'],
  tag: 'Segments',
  path: 'segments',

  create: record({ name: name(256), status: newStatus, metadata: newMetadata }, ['name']),
  update: record({ name: changedName(256), status: changedStatus, metadata: changedMetadata }, []),
  view: recordView(
    'Segment',
    ['organizationId', 'ledgerId'],
    { name: { type: 'string' }, status: statusView, metadata: metadataView },
    ['metadata'],
  ),

  notes: { delete: 'accounts that name it keep its id' },
  remarks: { create: 'The name must be unique in the ledger.' },
  refusals: { create: ['SEGMENT_NAME_TAKEN'], update: ['SEGMENT_NAME_TAKEN'] },
  list: { paging: 'page' },
  rows: { parent: 'ledgerId' },
} as const satisfies RecordResource;
