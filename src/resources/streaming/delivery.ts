import { instant, record, uuid } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'retrying', 'dead'] as const;

const attempt = record(
  {
    at: instant,
    durationMs: { type: 'number' },
    statusCode: { type: 'integer' },
    errorClass: { type: 'string' },
    body: { type: 'string', description: 'The beginning of the response, at most 1 KiB.' },
  },
  ['at', 'durationMs'],
);

/** A delivery of one event to one subscription (contract events §12.3). */
export const deliverySchema = {
  title: 'Delivery',
  ...record(
    {
      id: uuid,
      subscriptionId: uuid,
      eventId: { type: 'string', description: 'The ce-id of the event.' },
      eventType: { type: 'string' },
      status: { type: 'string', enum: DELIVERY_STATUSES },
      attempts: { type: 'array', items: attempt },
      nextAttemptAt: instant,
    },
    ['id', 'subscriptionId', 'eventId', 'eventType', 'status', 'attempts'],
  ),
} as const satisfies Schema;

const IDS_MAX = 1000;
const window = { type: 'string', format: 'instant' } as const;
const ids = { type: 'array', items: uuid, minItems: 1, maxItems: IDS_MAX } as const;
const selection = {
  ids: { ...ids, description: 'The ids of dead deliveries' },
  from: { ...window, description: 'The earliest time of death' },
  to: { ...window, description: 'The latest time of death' },
} as const;
const oneOf: readonly PublishedSchema[] = [
  record({ ids }, ['ids']),
  record({ from: window, to: window }, ['from', 'to']),
];

/** Either ids, or a window; code checks which. */
export const replayBody = {
  ...record(selection, []),
  published: { title: 'RequestedReplay', oneOf },
} as const satisfies Schema;

export const replayedSchema = {
  title: 'ReplayedDeadLetters',
  ...record({ replayed: { type: 'integer' } }, ['replayed']),
} as const satisfies Schema;
