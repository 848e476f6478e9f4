import type { StreamingCommand } from '#commands/streaming/streaming.ts';
import type { SubscriptionRecord } from '#src/events/streaming/streaming.ts';
import { created, ok, type Reply } from '#src/http/reply.ts';
import { recordWriteRoutes } from '#src/http/record-routes.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { Refusal, refuse } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { membersIn, viewBy } from '#src/kernel/record-resource.ts';
import type { Subscription, SubscriptionTarget } from '#src/kernel/subscription.ts';
import {
  createdSubscriptionSchema,
  createSubscriptionBody,
  rotatedSecretSchema,
  subscriptionResource,
  subscriptionSchema,
} from '#src/resources/streaming/subscription.ts';
import { subscriptionServices } from './services.ts';
import { submit } from './submit.ts';

const PATH = '/v1/subscriptions';

const facts = {
  tag: 'Subscriptions',
  method: 'post',
  permission: { namespace: 'streaming', resource: 'subscriptions', action: 'post' },
  entityType: 'Subscription',
} as const;

const [, updateRoute, deleteRoute] = recordWriteRoutes(subscriptionResource, {
  path: '/v1',
  refusals: [],
  async submit(request, services, command) {
    const change = command as StreamingCommand;
    if (change.type === 'UpdateSubscription') mustBeAddressable(services, change.changes.target);
    const { events, token } = await submit(request, services, change);
    if (change.type === 'DeleteSubscription') {
      await subscriptionServices(services).signingSecrets.destroy(change.id);
    }
    return { events, token };
  },
});

export const subscriptionWriteRoutes = [
  route({
    ...facts,
    operationId: 'createSubscription',
    summary: 'Create a subscription; a webhook gets its signing secret',
    description:
      'Delivers the events that pass the filters to the target, at least once. Deliveries to a webhook are signed with ' +
      'the secret in the response (Standard Webhooks), which is not shown again. A request that repeats an ' +
      'idempotency key returns the current secret.',
    path: PATH,
    body: createSubscriptionBody,
    idempotent: true,
    replies: { 201: createdSubscriptionSchema },
    refusals: ['TOO_MANY_SUBSCRIPTIONS', 'IDEMPOTENCY_KEY_IN_USE'],
    handle: (request, services) => {
      const sent = membersIn(createSubscriptionBody, request.body) as Omit<Subscription, 'status'>;
      mustBeAddressable(services, sent.target);
      const subscription = { ...sent, status: 'active' } as const;
      return subscription.target.kind === 'webhook'
        ? createSigned(request, services, subscription)
        : create(request, services, subscription);
    },
  }),

  updateRoute!,
  deleteRoute!,
  statusRoute({
    action: 'pause',
    status: 'paused',
    summary: 'Pause a subscription: nothing is delivered until it is resumed',
    description:
      'Events are kept meanwhile, for as long as their source has them, and delivered after the resumption. ' +
      'Repeating it has no effect; a disabled subscription stays disabled.',
  }),
  statusRoute({
    action: 'resume',
    status: 'active',
    summary: 'Resume a paused or disabled subscription',
    description:
      'Delivery goes on with the event after the last one that was planned, so that what happened in between is ' +
      'delivered late but not lost. Repeating it has no effect.',
  }),

  route({
    ...facts,
    operationId: 'rotateSubscriptionSecret',
    summary: 'Replace the signing secret of a webhook; the old one signs too for 24 hours',
    description:
      'Deliveries carry a signature of each valid secret. Secrets that are replaced again within 24 hours all sign; at ' +
      'most ten do, the latest ones.',
    path: `${PATH}/{subscription_id}/secret/rotate`,
    replies: { 200: rotatedSecretSchema },
    refusals: ['NOT_FOUND', 'NOTHING_TO_SIGN'],

    // The secret is replaced first: the event would otherwise tell of a rotation that a crash prevented.
    async handle(request, services) {
      const { signingSecrets } = subscriptionServices(services);
      const id = request.path.subscription_id;
      await submit(request, services, { type: 'CheckTarget', id, kind: 'webhook' });
      const secret = await signingSecrets.replace(request.context.tenantId, id);
      const command = { type: 'ReplaceSigningSecret', id } as const;
      const { token } = await submit(request, services, command); // Refuses one deleted meanwhile.
      if (secret === undefined) throw new Error(`Subscription ${id} has no signing secret`);
      return ok(JSON.stringify({ secret }), { token });
    },
  }),
];

type NewSubscription = Omit<SubscriptionRecord, 'createdAt' | 'updatedAt' | 'deletedAt'>;

/**
 * Creates a subscription with a signing secret. The secret is made first, because deliveries may begin with the event.
 * A check before spares refused and repeated requests a secret; a secret that turns out not to be needed is destroyed,
 * now or at a later start (destroyUnusedSecrets).
 */
async function createSigned(
  request: Request,
  services: Services,
  fields: Omit<NewSubscription, 'id'>,
): Promise<Reply> {
  const { signingSecrets } = subscriptionServices(services);
  const check = { type: 'CheckSubscription', fields } as const;
  const earlier = await submit(request, services, check, 'keyed');
  if (earlier.replayed) return replayOf(earlier, services);

  const id = services.ids.next();
  const secret = await signingSecrets.create(request.context.tenantId, id);
  try {
    const outcome = await submit(request, services, creationOf(id, fields), 'keyed');
    if (!outcome.replayed) return shown(outcome, secret);
    await signingSecrets.destroy(id);
    return await replayOf(outcome, services);
  } catch (error) {
    // After any other error the event may be in the log.
    if (error instanceof Refusal) await signingSecrets.destroy(id);
    throw error;
  }
}

async function create(
  request: Request,
  services: Services,
  fields: Omit<NewSubscription, 'id'>,
): Promise<Reply> {
  const creation = creationOf(services.ids.next(), fields);
  return shown(await submit(request, services, creation, 'keyed'));
}

const creationOf = (id: Uuid, fields: Omit<NewSubscription, 'id'>) =>
  ({ type: 'CreateSubscription', fields: { id, ...fields } }) as const;

/** The current secret is shown again: the first response may have been lost. */
async function replayOf(outcome: Submitted, services: Services): Promise<Reply> {
  const { id } = subscriptionIn(outcome);
  return shown(outcome, await subscriptionServices(services).signingSecrets.current(id));
}

function shown(outcome: Submitted, secret?: string): Reply {
  const view = { ...viewed(subscriptionIn(outcome)), ...(secret !== undefined && { secret }) };
  const { token, replayed } = outcome;
  return created(JSON.stringify(view), { token, replayed });
}

function statusRoute({
  action,
  status,
  ...words
}: Readonly<{
  action: 'pause' | 'resume';
  status: Subscription['status'];
  summary: string;
  description: string;
}>) {
  return route({
    ...facts,
    operationId: `${action}Subscription`,
    ...words,
    path: `${PATH}/{subscription_id}/${action}`,
    replies: { 200: subscriptionSchema },
    refusals: ['NOT_FOUND'],
    async handle(request, services) {
      const id = request.path.subscription_id;
      const outcome = await submit(request, services, {
        type: 'SetSubscriptionStatus',
        id,
        status,
      });
      return ok(JSON.stringify(viewed(subscriptionIn(outcome))), { token: outcome.token });
    },
  });
}

type Submitted = Awaited<ReturnType<typeof submit>>;

function subscriptionIn({ events: [event] }: Submitted): SubscriptionRecord {
  if (event !== undefined && 'subscription' in event.data) return event.data.subscription;
  throw new Error('A change of a subscription is one event');
}

const viewed = viewBy(subscriptionSchema);

function mustBeAddressable(services: Services, target: SubscriptionTarget | undefined): void {
  if (target === undefined) return;
  const fault = subscriptionServices(services).addressFault(target);
  if (fault === undefined) return;
  const member = target.kind === 'webhook' ? 'url' : 'address';
  const location = `target.${member}`;
  throw refuse('MALFORMED_FIELD', `${location} ${fault}.`, {
    findings: [{ location, message: fault }],
  });
}
