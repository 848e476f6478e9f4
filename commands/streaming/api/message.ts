import { ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { structuredEvent } from '#src/kernel/structured-event.ts';
import type {
  DeliveryCalls,
  LeasesSettled,
  PulledMessage,
  SubscriptionAddress,
} from '#src/ports/delivery-calls.ts';
import {
  ackBody,
  extendBody,
  nackBody,
  pullBody,
  pulledSchema,
  settledSchema,
} from '#src/resources/streaming/message.ts';
import { subscriptionServices } from './services.ts';
import { submit } from './submit.ts';

const PATH = '/v1/subscriptions/{subscription_id}/messages';

const facts = {
  tag: 'Deliveries',
  method: 'post',
  permission: { namespace: 'streaming', resource: 'deliveries', action: 'post' },
  entityType: 'Subscription',
  refusals: ['NOT_FOUND', 'NOT_PULLED'],
} as const;

/** Pulling messages, and settling their leases (contract events §12.4). */
export const messageRoutes = [
  route({
    ...facts,
    operationId: 'pullMessages',
    summary: 'Lease messages of a subscription that is pulled',
    description:
      'A message that is not acknowledged while its lease is valid is offered again, with another lease. Messages can ' +
      'come more than once, always with the same event id.',
    path: `${PATH}/pull`,
    body: pullBody,
    bodyOptional: true,
    replies: { 200: pulledSchema },
    async handle(request, services) {
      const { max, waitMs, leaseMs } = { ...PULL_DEFAULTS, ...request.body };
      const messages = await called(request, services, (calls, of) =>
        calls.pull(of, { max, waitMs: Math.min(waitMs, validMs(request, services)), leaseMs }),
      );
      return ok(`{"messages":[${messages.map(messageText).join()}]}`);
    },
  }),

  route({
    ...facts,
    operationId: 'acknowledgeMessages',
    summary: 'Acknowledge messages: they are not offered again',
    description:
      'Leases that are no longer valid are named in `expired`: their messages may be offered again.',
    path: `${PATH}/ack`,
    body: ackBody,
    replies: { 200: settledSchema('AcknowledgedMessages', 'acked') },
    async handle(request, services) {
      const { leaseIds } = request.body;
      const outcome = await called(request, services, (calls, of) => calls.ack(of, leaseIds));
      return settled('acked', outcome);
    },
  }),

  route({
    ...facts,
    operationId: 'returnMessages',
    summary: 'Return messages: they are offered again, and are dead after ten attempts',
    description:
      'Each return counts as an attempt. Leases that are no longer valid are named in `expired`, and nothing ' +
      'happens to their messages.',
    path: `${PATH}/nack`,
    body: nackBody,
    replies: { 200: settledSchema('ReturnedMessages', 'nacked') },
    async handle(request, services) {
      const { leaseIds, delayMs } = request.body;
      const outcome = await called(request, services, (calls, of) =>
        calls.nack(of, leaseIds, delayMs),
      );
      return settled('nacked', outcome);
    },
  }),

  route({
    ...facts,
    operationId: 'extendMessageLeases',
    summary: 'Extend the leases of messages',
    description:
      'The new time counts from now. Leases that are no longer valid are named in `expired` and are not extended.',
    path: `${PATH}/extend`,
    body: extendBody,
    replies: { 200: settledSchema('ExtendedLeases', 'extended') },
    async handle(request, services) {
      const { leaseIds, leaseMs } = request.body;
      const outcome = await called(request, services, (calls, of) =>
        calls.extend(of, leaseIds, leaseMs),
      );
      return settled('extended', outcome);
    },
  }),
];

/** An optional body that was not sent has no defaults filled in. */
const PULL_DEFAULTS = {
  max: pullBody.properties.max.default,
  waitMs: pullBody.properties.waitMs.default,
  leaseMs: pullBody.properties.leaseMs.default,
};

/** Nothing is leased by a token that has expired meanwhile. */
const validMs = ({ caller }: Request, { clock }: Services): number =>
  Math.max(0, Math.floor((caller.expiresAt - clock.now()) / 1000));

type OfSubscription = Request<Readonly<{ subscription_id: Uuid }>>;

async function called<Outcome>(
  request: OfSubscription,
  services: Services,
  call: (calls: DeliveryCalls, of: SubscriptionAddress) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const id = request.path.subscription_id;
  await submit(request, services, { type: 'CheckTarget', id, kind: 'pull' });
  const { tenantId } = request.context;
  const { deliveries } = subscriptionServices(services);
  const outcome = await call(deliveries, { tenantId, subscriptionId: id });
  if (outcome === undefined) throw refuse('NOT_FOUND', 'There is no such subscription.');
  return outcome;
}

/** Writes the event as it stands: parsing it would cost as much as everything else. */
const messageText = ({ leaseId, attempt, record }: PulledMessage): string =>
  `{"leaseId":${JSON.stringify(leaseId)},"attempt":${attempt},"event":${structuredEvent(record)}}`;

const settled = (verb: string, { settled: count, expired }: LeasesSettled): Reply =>
  ok(JSON.stringify({ [verb]: count, expired }));
