import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

/** Describes the members of subscriptions and their targets. */
export const subscriptionMembers: Glossary = {
  'CreateSubscriptionRequest.name': 'At most 128 characters; need not be unique.',
  'UpdateSubscriptionRequest.name': 'At most 128 characters. `""` leaves it unchanged.',
  'CreateSubscriptionRequest.target': 'Where the events are delivered.',
  'UpdateSubscriptionRequest.target': 'Where the events are delivered. It is replaced as a whole.',
  kind: '`webhook` receives HTTP requests, `queue` messages of RabbitMQ and `bus` records of Kafka; with `pull` you fetch the events.',
  url: 'An https URL of at most 2048 characters; http only with an IP address that the operator allows.',
  timeoutMs: 'How long the receiver may take to respond, in milliseconds. By default 15000.',
  provider: 'The broker: RabbitMQ for a queue, Kafka for a bus.',
  address:
    'The broker and where its messages go, without a password: `amqps://host:5671/vhost?exchange=name` or `?queue=name`, or `kafkas://host:9093/topic`.',
  credentials:
    'The name of the credentials in the settings of the deployment: at most 40 of A-Z, 0-9 and _. Absent if the broker needs none.',

  ...membersOf(['CreatedSubscription', 'Subscription'], {
    name: 'At most 128 characters; need not be unique.',
    filters: 'An event is delivered if it passes every filter; without filters none is.',
    'filters.types':
      'Values of ce-type, or event keys such as account.created; a final * stands for one or more segments.',
    'filters.resourceTypes': 'Values of ce-resourcetype.',
    'filters.eventTypes': 'Values of ce-eventtype.',
    'filters.subjects': 'Values of ce-subject.',
    'filters.organizationIds': 'Organizations that events are about.',
    'filters.ledgerIds': 'Ledgers that events are about.',
    target: 'Where the events are delivered.',
    'target.headers': 'Sent with every request.',
    format:
      '`structured` sends one JSON CloudEvent, `binary` its attributes as headers and its data as the body.',
    ordering:
      'Whether a message waits for the outcome of the previous one with its record key (`key`), or does not (`none`).',
    rateLimit: 'The maximum number of messages a second.',
    startAt: 'The time of the first events it delivers; `now` for that of its creation.',
  }),
};
