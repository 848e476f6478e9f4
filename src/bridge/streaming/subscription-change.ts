import type { SubscriptionEvent, SubscriptionRecord } from '#src/events/streaming/streaming.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { SubscriptionChange } from '#src/kernel/subscription.ts';

/** Returns the change of a subscription that an event of a streaming journal records; undefined if it records another fact. */
export function subscriptionChangeIn({ type, data }: StoredEvent): SubscriptionChange | undefined {
  if (!CHANGES.has(type)) return undefined;
  const { subscription } = parseData(data) as { subscription: SubscriptionRecord };
  if (type === 'SubscriptionDeleted') return { is: 'removed', id: subscription.id };
  return { is: 'set', subscription };
}

const CHANGES: ReadonlySet<string> = new Set<SubscriptionEvent['type']>([
  'SubscriptionCreated',
  'SubscriptionUpdated',
  'SubscriptionDeleted',
]);
