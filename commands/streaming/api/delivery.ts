import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { refuse } from '#src/events/streaming/refusals.ts';
import type { Shaped } from '#src/kernel/schema.ts';
import type { DeadLetterSelection } from '#src/ports/delivery-calls.ts';
import { deliverySchema, replayBody, replayedSchema } from '#src/resources/streaming/delivery.ts';
import { subscriptionServices } from './services.ts';
import { submit } from './submit.ts';

const facts = {
  tag: 'Deliveries',
  method: 'post',
  permission: { namespace: 'streaming', resource: 'deliveries', action: 'post' },
} as const;

export const deliveryWriteRoutes = [
  route({
    ...facts,
    operationId: 'retryDelivery',
    summary: 'Attempt a delivery again at once, whatever its status',
    description:
      'Earlier attempts stay in its record. An attempt or a lease that is under way is not interrupted.',
    path: '/v1/deliveries/{delivery_id}/retry',
    entityType: 'Delivery',
    replies: { 200: deliverySchema },
    refusals: ['NOT_FOUND'],
    async handle({ path, context }, services) {
      const { deliveries } = subscriptionServices(services);
      const delivery = await deliveries.retry(context.tenantId, path.delivery_id);
      if (delivery === undefined) throw refuse('NOT_FOUND', 'There is no such delivery.');
      return ok(JSON.stringify(delivery));
    },
  }),

  route({
    ...facts,
    operationId: 'replayDeadLetters',
    summary: 'Deliver dead letters of a subscription again, by ids or by the time of their death',
    description:
      'Select by `ids`, or by `from` and `to` together. The events keep their ids, and the response tells how many ' +
      'are attempted again; ids that are not dead letters of the subscription are passed over.',
    path: '/v1/subscriptions/{subscription_id}/dead-letters/replay',
    entityType: 'Subscription',
    body: replayBody,
    replies: { 200: replayedSchema },
    refusals: ['NOT_FOUND', 'REQUIRED_FIELDS', 'END_BEFORE_START'],
    async handle(request, services) {
      const selection = selectionIn(request.body);
      const id = request.path.subscription_id;
      await submit(request, services, { type: 'CheckTarget', id });
      const { deliveries } = subscriptionServices(services);
      const of = { tenantId: request.context.tenantId, subscriptionId: id };
      const replayed = await deliveries.replay(of, selection);
      if (replayed === undefined) throw refuse('NOT_FOUND', 'There is no such subscription.');
      return ok(JSON.stringify({ replayed }));
    },
  }),

  route({
    ...facts,
    operationId: 'testSubscription',
    summary: 'Send a ping to the target of a subscription',
    description:
      'Returns the delivery before it is attempted: read its outcome in the list of deliveries. The subscription ' +
      'must be active, and the deployment must deliver events.',
    path: '/v1/subscriptions/{subscription_id}/test',
    entityType: 'Subscription',
    replies: { 202: deliverySchema },
    refusals: ['NOT_FOUND', 'SUBSCRIPTION_NOT_ACTIVE', 'STREAMING_OFF'],
    async handle(request, services) {
      const id = request.path.subscription_id;
      await submit(request, services, { type: 'CheckActive', id });
      const { deliveries, delivers } = subscriptionServices(services);
      if (!delivers) throw refuse('STREAMING_OFF', 'This deployment delivers no events.');
      const of = { tenantId: request.context.tenantId, subscriptionId: id };
      const delivery = await deliveries.ping(of);
      if (delivery === undefined) throw refuse('NOT_FOUND', 'There is no such subscription.');
      return { status: 202, body: JSON.stringify(delivery) };
    },
  }),
];

function selectionIn({ ids, from, to }: Shaped<typeof replayBody>): DeadLetterSelection {
  if (ids !== undefined) {
    const location = from === undefined ? 'to' : 'from';
    if (from === undefined && to === undefined) return { ids };
    const message = 'must be left out beside ids';
    throw refuse('MALFORMED_FIELD', `${location} ${message}.`, {
      findings: [{ location, message }],
    });
  }
  if (from === undefined || to === undefined) {
    const location = from === undefined && to === undefined ? 'ids' : from ? 'to' : 'from';
    const message = 'is required, unless the other way to select is used';
    throw refuse('REQUIRED_FIELDS', `${location} ${message}.`, {
      findings: [{ location, message }],
    });
  }
  if (from > to) {
    const message = 'must not be before from';
    throw refuse('END_BEFORE_START', `to ${message}.`, {
      findings: [{ location: 'to', message, value: to }],
    });
  }
  return { from, to };
}
