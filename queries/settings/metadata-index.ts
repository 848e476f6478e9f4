import { metadataIndexProjection } from '#projections/settings/metadata-index.ts';
import { readRows } from '#queries/reading.ts';
import { settingsJournal } from '#src/kernel/journal-name.ts';
import { bareList } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { entityNames, metadataIndexSchema } from '#src/resources/settings/metadata-index.ts';

export const metadataIndexReadRoutes = [
  route({
    operationId: 'listMetadataIndexes',
    summary: 'List the indexes on metadata',
    description: 'Returns those of your tenant, all at once, as an array without pages.',
    tag: 'Metadata indexes',
    method: 'get',
    path: '/v1/settings/metadata-indexes',
    permission: 'settings:get',
    entityType: 'MetadataIndex',
    filters: {
      entity_name: { type: 'string', enum: entityNames, refusal: 'ENTITY_UNKNOWN' },
    },
    replies: { 200: { type: 'array', items: metadataIndexSchema } },
    refusals: [],

    handle: async (request, services) => {
      const entityName = request.query.entity_name;
      const sequence = await readRows(services, request, {
        of: metadataIndexProjection,
        after: settingsJournal(request.context.tenantId),
        where: { ...(entityName !== undefined && { entityName }) },
        filters: [],
      });
      const { items } = await sequence.page({ order: 'asc', limit: ALL });
      return bareList(items);
    },
  }),
];

/** A tenant has at most 20 indexes for each kind of record. */
const ALL = 1000;
