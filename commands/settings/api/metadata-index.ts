import { refuse } from '#src/events/settings/refusals.ts';
import { isUniqueEntity } from '#src/kernel/unique-values.ts';
import { created, noContent } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import {
  createMetadataIndexBody,
  entityNames,
  metadataIndexSchema,
  metadataIndexView,
} from '#src/resources/settings/metadata-index.ts';
import { buildIndex } from '#commands/settings/processes/build-index.ts';
import { journalOfSettings } from '#commands/settings/settings.ts';

const PATH = '/v1/settings/metadata-indexes/entities/{entity_name}';

const pathSchemas = { entity_name: { type: 'string', enum: entityNames } } as const;

export const metadataIndexWriteRoutes = [
  route({
    operationId: 'createMetadataIndex',
    summary: 'Index the metadata of a kind of records by one key',
    description:
      'A unique index is built before the response, which is refused with 409 if records already share a value; ' +
      'from then on it refuses writes that repeat one in the same ledger, organization or registry. There are at ' +
      'most 20 for each kind of record.',
    tag: 'Metadata indexes',
    method: 'post',
    path: PATH,
    pathSchemas,
    permission: 'settings:post',
    entityType: 'MetadataIndex',
    body: createMetadataIndexBody,
    replies: { 201: metadataIndexSchema },
    refusals: ['ENTITY_UNKNOWN', 'INDEX_CONFLICT', 'TOO_MANY_INDEXES', 'INDEX_NOT_BUILT'],

    handle: async (request, { commands, log }) => {
      const { metadataKey, unique, sparse } = request.body;
      const entityName = entityNameIn(request.path.entity_name);
      if (unique && !isUniqueEntity(entityName)) throw alone();
      const { tenantId } = request.context;
      const journal = journalOfSettings(tenantId);
      const steps = commands.steps(request);
      const { events, revision } = await steps.submit(journal, {
        type: 'CreateMetadataIndex',
        fields: { entityName, metadataKey, unique, sparse },
      });
      const event = events.at(-1);
      if (event === undefined) throw new Error('An index is one event');
      const { index } = event.data;
      const building = { ...steps, settled: () => commands.settled(), log };
      const done = unique ? await buildIndex(building, index, tenantId) : { event, revision };
      return created(JSON.stringify(metadataIndexView(done.event.data.index)), {
        token: { [journal.name]: done.revision },
      });
    },
  }),

  route({
    operationId: 'deleteMetadataIndex',
    summary: 'Drop an index on metadata',
    description:
      'Values of the key may repeat from then on. An index of the platform itself is refused.',
    tag: 'Metadata indexes',
    method: 'delete',
    path: `${PATH}/key/{index_key}`,
    pathSchemas,
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

/** Values are compared within one journal, but each organization has its own journal (contract ledger §6.4). */
function alone() {
  const message =
    'must be false for organization: values are compared within an organization, not among several';
  const findings = [{ location: 'unique', message, value: true }];
  return refuse('MALFORMED_FIELD', `unique ${message}.`, { findings });
}

const VALUE_MAX = 256;
