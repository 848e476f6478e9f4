import { notFound, readRow } from '#queries/reading.ts';
import { recordProjection } from '#projections/record.ts';
import { listed, type Reply } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { Filters } from '#src/kernel/filters.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import type { DeliverySearch } from '#src/ports/delivery-calls.ts';
import { DELIVERY_STATUSES, deliverySchema } from '#src/resources/streaming/delivery.ts';
import { subscriptionResource } from '#src/resources/streaming/subscription.ts';
import { streamingServices } from './services.ts';

const subscriptions = recordProjection(subscriptionResource);

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;
const PAGE_MAX = 10_000;

/** Deliveries are listed latest first, without the dates and orders of other lists. */
const pages = {
  page: {
    type: 'integer',
    minimum: 1,
    published: { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: 1 },
  },
  limit: {
    type: 'integer',
    minimum: 1,
    published: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
  },
} as const satisfies Filters;

const facts = {
  tag: 'Deliveries',
  method: 'get',
  permission: { namespace: 'streaming', resource: 'deliveries', action: 'get' },
  replies: { 200: pageOf(deliverySchema) },
} as const;

export const deliveryReadRoutes = [
  route({
    ...facts,
    operationId: 'listDeliveries',
    summary: 'List deliveries, the latest first',
    description: 'They must match every filter that is sent; at most 100 are returned at once.',
    path: '/v1/deliveries',
    entityType: 'Delivery',
    filters: {
      ...pages,
      subscription_id: {
        type: 'string',
        format: 'uuid',
        description: 'Lists only deliveries to this subscription.',
      },
      status: { type: 'string', enum: DELIVERY_STATUSES },
      event_id: { type: 'string', description: 'The ce-id of the event' },
    },
    refusals: ['LIMIT_TOO_HIGH'],

    handle: ({ query, context }, services) => {
      const { subscription_id: subscriptionId, status, event_id: eventId } = query;
      return listOf(services, query, {
        tenantId: context.tenantId,
        ...(subscriptionId !== undefined && { subscriptionId }),
        ...(status !== undefined && { status }),
        ...(eventId !== undefined && { eventId }),
      });
    },
  }),

  route({
    ...facts,
    operationId: 'listDeadLetters',
    summary: 'List the dead letters of a subscription, the latest first',
    description:
      'A message is dead after ten failed attempts or a 410, or at once if it cannot be sent at all. Dead letters are kept ' +
      'for 30 days; at most 100 are returned at once.',
    path: '/v1/subscriptions/{subscription_id}/dead-letters',
    entityType: 'Subscription',
    filters: pages,
    refusals: ['NOT_FOUND', 'LIMIT_TOO_HIGH'],

    handle: async (request, services) => {
      const { tenantId } = request.context;
      const id = request.path.subscription_id;
      const row = await readRow(services, request, {
        of: subscriptions,
        after: streamingJournal(tenantId),
        where: { id },
      });
      if (row === undefined) throw notFound('subscription');
      return listOf(services, request.query, { tenantId, subscriptionId: id, status: 'dead' });
    },
  }),
];

async function listOf(
  services: Services,
  {
    page = 1,
    limit = LIMIT_DEFAULT,
  }: Readonly<{ page?: number | undefined; limit?: number | undefined }>,
  search: DeliverySearch,
): Promise<Reply> {
  if (limit > LIMIT_MAX) throw tooHigh('LIMIT_TOO_HIGH', 'limit', LIMIT_MAX, limit);
  if (page > PAGE_MAX) throw tooHigh('QUERY_INVALID', 'page', PAGE_MAX, page);
  const calls = streamingServices(services).deliveries;
  const found = await calls.deliveries(search, { offset: (page - 1) * limit, limit });
  return listed(found.map((delivery) => JSON.stringify(delivery)).join(), { limit, page });
}

function tooHigh(name: 'LIMIT_TOO_HIGH' | 'QUERY_INVALID', of: string, max: number, value: number) {
  const message = `must be at most ${max}`;
  const findings = [{ location: `query.${of}`, message, value }];
  return refuse(name, `${of} ${message}.`, { findings });
}
