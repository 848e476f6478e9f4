import { membersOf, type Descriptions } from '#src/kernel/descriptions.ts';
import { deliveryMembers } from './delivery-members.ts';
import { subscriptionMembers } from './subscription-members.ts';

/** The sentences of streaming for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    Streaming: 'The events that the platform may publish, and their JSON Schemas.',
    Subscriptions:
      'Deliver chosen events to a webhook, a queue, a bus, or to callers who pull them.',
    Deliveries: 'What became of each event on its way to a subscription; messages to pull.',
    Replays: 'Publish the events of a past time again, with the ids they had.',
  },
  members: {
    ...subscriptionMembers,
    ...deliveryMembers,
    ...membersOf(['StreamingManifest'], {
      version: 'The version of the form of the manifest.',
      publisher: 'The service that publishes the events, and how.',
      events: 'The events in the order of their keys, each with its topic, version and schema.',
      routes: 'Where each event is published.',
    }),
  },
  parameters: {
    producer: 'The name of the producer, such as `matching`.',
    key: 'The key of the event, such as `account.created`.',
    version: 'The version of the payload, such as `1.0.0`.',
    replay_id: 'The id of the replay, a UUID.',
    subscription_id: 'The id of the subscription, a UUID.',
    delivery_id: 'The id of the delivery, a UUID.',
    page: 'The number of the page.',
    limit: 'The highest number of items on a page.',
    status: 'Lists only deliveries with this status.',
  },
};
