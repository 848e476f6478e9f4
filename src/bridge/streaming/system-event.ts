import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { SubscriptionEvent } from '#src/events/streaming/streaming.ts';
import type { Draft } from '#src/ports/publisher.ts';
import { topicsOf, type Topic } from '#src/bridge/catalog.ts';
import { planned, type Definition } from '#src/bridge/definition.ts';
import { createEnvelope, type Producer } from '#src/bridge/envelope.ts';
import { payloadOf } from '#src/bridge/payload-schema.ts';

/** The occurrence of a ping, which a client asked for; its id was minted. */
export type PingFacts = Readonly<{ ceId: Uuid; occurredAt: Instant; subscriptionId: Uuid }>;

/**
 * Builds the record that tests the target of a subscription.
 */
export function pingDraft(
  { ceId, occurredAt, subscriptionId }: PingFacts,
  producer: Producer,
): Draft {
  return asSystemEvent(
    createEnvelope(PING, producer).stamped(
      { ceId, time: occurredAt, tenantId: SINGLE_TENANT },
      { subject: subscriptionId, recordKey: '', payload: { subscriptionId, occurredAt } },
    ),
  );
}

/**
 * Returns the topics of events about the service itself. They are published and delivered like those of the catalog, and
 * are not part of a manifest.
 */
export const systemTopicsOf = (producer: Producer): readonly Topic[] =>
  topicsOf(producer, new Map(), [SUBSCRIPTION_DISABLED]).map((topic) => ({
    ...topic,
    drafts: (event) => topic.drafts(event).map(asSystemEvent),
  }));

/** A system event carries no tenant, and its key names no aggregate (contract events §2, §9.4). */
function asSystemEvent(draft: Draft): Draft {
  const { 'ce-tenantid': _tenant, ...headers } = draft.headers;
  const key = `system:${headers['ce-eventtype'] ?? ''}`;
  return { ...draft, key, headers: { ...headers, 'ce-systemevent': 'true' } };
}

const PING = planned(
  'streaming.ping',
  'streaming.ping',
  'Test of a subscription',
  payloadOf({
    subscriptionId: { type: 'string', format: 'uuid' },
    occurredAt: { type: 'string', format: 'date-time' },
  }),
  { subject: 'subscriptionId' },
);

/** Only the delivery service disables a subscription (contract events §12.3). */
const SUBSCRIPTION_DISABLED: Definition = {
  ...planned(
    'streaming.subscription-disabled',
    'streaming.subscription_disabled',
    'The service disabled a subscription',
    payloadOf({
      subscriptionId: { type: 'string', format: 'uuid' },
      name: { type: 'string' },
      occurredAt: { type: 'string', format: 'date-time' },
    }),
    { subject: 'subscriptionId' },
  ),
  types: ['SubscriptionUpdated'],
  emissions({ data, recordedAt }) {
    const { subscription, changed } = data as UpdatedSubscription;
    if (subscription.status !== 'disabled' || !changed.includes('status')) return [];
    const { id, name } = subscription;
    const payload = { subscriptionId: id, name, occurredAt: recordedAt };
    return [{ subject: id, recordKey: id, payload }];
  },
};

type UpdatedSubscription = Extract<SubscriptionEvent, { type: 'SubscriptionUpdated' }>['data'];
