import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import {
  createSegmentBody,
  segmentSchema,
  segmentView,
  updateSegmentBody,
} from '#src/resources/ledger/segment.ts';
import { absent, parentsAbsent, submitRecord, submitToLedger } from './in-ledger.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/segments';

export const segmentWriteRoutes = [
  route({
    operationId: 'createSegment',
    summary: 'Create a segment in a ledger',
    tag: 'Segments',
    method: 'post',
    path: PATH,
    permission: 'segments:post',
    entityType: 'Segment',
    body: createSegmentBody,
    replies: { 201: segmentSchema },
    refusals: [...parentsAbsent, 'SEGMENT_NAME_TAKEN'],

    handle: async (request, services) => {
      const { name, status, metadata } = request.body;
      const { data, token } = await submitRecord(request, services, 'SegmentCreated', {
        type: 'CreateSegment',
        fields: { name, status, ...(metadata && { metadata }) },
      });
      return created(JSON.stringify(segmentView(data.segment)), { token });
    },
  }),

  route({
    operationId: 'updateSegment',
    summary: 'Change the name, the status or the metadata of a segment',
    tag: 'Segments',
    method: 'patch',
    path: `${PATH}/{segment_id}`,
    permission: 'segments:patch',
    entityType: 'Segment',
    body: updateSegmentBody,
    replies: { 200: segmentSchema },
    refusals: [...absent, 'SEGMENT_NAME_TAKEN', 'TOO_LARGE'],

    handle: async (request, services) => {
      const { data, token } = await submitRecord(request, services, 'SegmentUpdated', {
        type: 'UpdateSegment',
        id: request.path.segment_id,
        changes: request.body,
      });
      return ok(JSON.stringify(segmentView(data.segment)), { token });
    },
  }),

  route({
    operationId: 'deleteSegment',
    summary: 'Delete a segment; accounts that name it keep its id',
    tag: 'Segments',
    method: 'delete',
    path: `${PATH}/{segment_id}`,
    permission: 'segments:delete',
    entityType: 'Segment',
    replies: { 204: null },
    refusals: absent,

    handle: async (request, services) => {
      const id = request.path.segment_id;
      const { token } = await submitToLedger(request, services, {
        type: 'DeleteSegment',
        id,
      });
      return noContent({ token });
    },
  }),
];
