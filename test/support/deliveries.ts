import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Subscription, SubscriptionTarget } from '#src/kernel/subscription.ts';
import { START } from '#src/ports/event-store.ts';
import type { DeliveryMessage } from '#src/ports/delivery-target.ts';
import type { Draft, OutgoingRecord } from '#src/ports/publisher.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { NOW } from './stamps.ts';
import { transfer, transferTopics } from './relayed.ts';

export const SUBSCRIPTION = '0190a1c0-0000-7000-8000-00000000005b' as Uuid;

export const subscriptionTo = (
  target: SubscriptionTarget,
  changes: Partial<Subscription> = {},
): Subscription => ({
  id: SUBSCRIPTION,
  name: 'Test',
  filters: { types: ['*'] },
  target,
  format: 'structured',
  ordering: 'none',
  rateLimit: 50,
  status: 'active',
  startAt: 'now',
  createdAt: NOW,
  updatedAt: NOW,
  ...changes,
});

/** The records of the n-th transfer: its own, and those of two balances. */
export function recordsOf(n: number): readonly Draft[] {
  const event = new LoggedEvent({
    ...transfer(n),
    ...{ stream: 'ledger-1', revision: 0, position: START },
  });
  return transferTopics().flatMap((topic) => topic.drafts(event));
}

export const messageTo = (
  subscription: Subscription,
  record: OutgoingRecord = recordsOf(1)[0]!,
  atMs = Date.now(),
): DeliveryMessage => ({ record, subscription, attempt: 1, at: (atMs * 1000) as Micros });
