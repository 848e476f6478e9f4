import { refuse } from '#src/domain/errors.ts';
import { created, noContent } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import {
  createMetadataIndexBody,
  entityNames,
  metadataIndexSchema,
  metadataIndexView,
} from '#src/resources/metadata-index.ts';
import { journalOfSettings } from './settings.ts';

const PATH = '/v1/settings/metadata-indexes/entities/{entity_name}';

export const metadataIndexWriteRoutes = [
  route({
    operationId: 'createMetadataIndex',
    summary: 'Index the metadata of a kind of records by one key',
    tag: 'Metadata Indexes',
    method: 'post',
    path: PATH,
    permission: 'settings:post',
    entityType: 'MetadataIndex',
    body: createMetadataIndexBody,
    replies: { 201: metadataIndexSchema },
    refusals: ['ENTITY_UNKNOWN', 'INDEX_EXISTS', 'TOO_MANY_INDEXES'],

    handle: async (request, { commands }) => {
      const { metadataKey, unique, sparse } = request.body;
      const entityName = entityNameIn(request.path.entity_name);
      if (unique) throw notUnique();
      const journal = journalOfSettings(request.context.tenantId);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'CreateMetadataIndex',
        fields: { entityName, metadataKey, unique, sparse },
      });
      const [event] = events;
      if (event === undefined) throw new Error('An index is one event');
      return created(JSON.stringify(metadataIndexView(event.data.index)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'deleteMetadataIndex',
    summary: 'Drop an index on metadata',
    tag: 'Metadata Indexes',
    method: 'delete',
    path: `${PATH}/key/{index_key}`,
    permission: 'settings:delete',
    entityType: 'MetadataIndex',
    replies: { 204: null },
    refusals: ['ENTITY_UNKNOWN', 'INDEX_NOT_FOUND', 'INDEX_PROTECTED'],

    handle: async (request, { commands }) => {
      const { entity_name, index_key: metadataKey } = request.path;
      const entityName = entityNameIn(entity_name);
      const journal = journalOfSettings(request.context.tenantId);
      const command = { type: 'DeleteMetadataIndex', entityName, metadataKey } as const;
      const { revision } = await commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];

function entityNameIn(sent: string): string {
  if (entityNames.some((name) => name === sent)) return sent;
  const message = `must be one of ${entityNames.join(', ')}`;
  throw refuse('ENTITY_UNKNOWN', `entity_name ${message}.`, {
    findings: [{ location: 'path.entity_name', message, value: sent.slice(0, VALUE_MAX) }],
  });
}

/** To take it without holding writes to it would be worse than to say no. */
function notUnique() {
  const message = 'must be false: unique values are not watched over here';
  const findings = [{ location: 'unique', message, value: true }];
  return refuse('MALFORMED_FIELD', `unique ${message}.`, { findings });
}

const VALUE_MAX = 256;
