import { segmentProjection } from '#projections/ledger/segment.ts';
import { pageReply } from '#queries/paging.ts';
import { notFound } from '#queries/reading.ts';
import { segmentText } from './renderers.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import { segmentSchema } from '#src/resources/ledger/segment.ts';
import { rowInLedger, rowsInLedger } from './in-ledger.ts';

export const segmentReadRoutes = [
  route({
    operationId: 'listSegments',
    summary: 'List the segments of a ledger',
    tag: 'Segments',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/segments',
    permission: 'segments:get',
    entityType: 'Segment',
    paging: 'page',
    replies: { 200: pageOf(segmentSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) =>
      pageReply(await rowsInLedger(request, services, segmentProjection), request.page),
  }),

  route({
    operationId: 'getSegment',
    summary: 'Retrieve a segment',
    tag: 'Segments',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/segments/{segment_id}',
    permission: 'segments:get',
    entityType: 'Segment',
    replies: { 200: segmentSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const where = { id: request.path.segment_id };
      const row = await rowInLedger(request, services, segmentProjection, where);
      if (row === undefined) throw notFound('segment');
      return ok(segmentText(row));
    },
  }),
];
