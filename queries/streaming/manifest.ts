import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import { manifestSchema, payloadSchemaSchema } from '#src/resources/streaming/manifest.ts';
import { streamingServices } from './services.ts';

const facts = {
  tag: 'Streaming',
  method: 'get',
  permission: { namespace: 'core', resource: 'streaming-manifest', action: 'get' },
  entityType: 'StreamingManifest',
} as const;

/** Manifests are built from the catalog and change only with a release, yet consumers must not keep an old one. */
const headers = { 'X-Frame-Options': 'DENY' };

const description =
  'Has the key, the topic, the version and the schema of every event that the producer may publish. It changes only ' +
  'with a release, and is the same while streaming is off.';

const manifestReply = (services: Services, producer: string) => {
  const text = streamingServices(services).manifest(producer);
  if (text === undefined) throw refuse('ROUTE_UNKNOWN', `No producer is named ${producer}.`);
  return ok(text, { headers });
};

const manifestRoute = (operationId: string, path: `/${string}`, producer: string) =>
  route({
    ...facts,
    operationId,
    summary: `Retrieve the streaming manifest of the ${producer} producer`,
    description,
    path,
    replies: { 200: manifestSchema },
    refusals: [],
    handle: (_, services) => manifestReply(services, producer),
  });

export const manifestRoutes = [
  manifestRoute('getStreamingManifest', '/v1/streaming/manifest', 'ledger'),
  manifestRoute('getLendingStreamingManifest', '/api/v1/streaming/manifest', 'lending'),
  manifestRoute('getReportingStreamingEvents', '/v1/streaming/events', 'reporting'),

  route({
    ...facts,
    operationId: 'getProducerStreamingManifest',
    summary: 'Retrieve the streaming manifest of a producer',
    description,
    path: '/system/{producer}/streaming/manifest',
    replies: { 200: manifestSchema },
    refusals: ['ROUTE_UNKNOWN'],
    handle: ({ path }, services) => manifestReply(services, path.producer),
  }),

  route({
    ...facts,
    operationId: 'getEventSchema',
    summary: 'Retrieve the JSON Schema of the payload of an event',
    description:
      '`key` and `version` are those of the manifest. A schema never changes within its version.',
    path: '/v1/streaming/schemas/{key}/{version}',
    replies: { 200: payloadSchemaSchema },
    refusals: ['NOT_FOUND'],

    handle({ path: { key, version } }, services) {
      const text = streamingServices(services).schema(key, version);
      if (text === undefined) throw refuse('NOT_FOUND', `There is no event ${key} ${version}.`);
      return ok(text, { headers });
    },
  }),
];
