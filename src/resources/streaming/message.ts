import { name, record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const MESSAGES_MAX = 1000;
const LEASE_MS_MAX = 600_000;
const DELAY_MS_MAX = 86_400_000;

const leaseIds = { type: 'array', items: name(256), maxItems: MESSAGES_MAX } as const;
const leaseMs = { type: 'integer', minimum: 1, maximum: LEASE_MS_MAX } as const;

/** The bodies and replies of pull (contract events §12.4). */
export const pullBody = record(
  {
    max: { type: 'integer', minimum: 1, maximum: MESSAGES_MAX, default: 100 },
    waitMs: {
      type: 'integer',
      minimum: 0,
      maximum: 20_000,
      default: 0,
      description: 'The time to wait for a first message, in milliseconds',
    },
    leaseMs: {
      ...leaseMs,
      default: 30_000,
      description:
        'The time after which a message that was not acknowledged is offered again, in milliseconds',
    },
  },
  [],
) satisfies Schema;

export const ackBody = record({ leaseIds }, ['leaseIds']) satisfies Schema;

export const nackBody = record(
  {
    leaseIds,
    delayMs: {
      type: 'integer',
      minimum: 0,
      maximum: DELAY_MS_MAX,
      default: 0,
      description: 'The time after which the messages are offered again, in milliseconds',
    },
  },
  ['leaseIds'],
) satisfies Schema;

export const extendBody = record({ leaseIds, leaseMs }, ['leaseIds', 'leaseMs']) satisfies Schema;

export const pulledSchema = {
  title: 'PulledMessages',
  ...record(
    {
      messages: {
        type: 'array',
        items: record(
          {
            leaseId: { type: 'string' },
            attempt: { type: 'integer' },
            event: {
              title: 'CloudEvent',
              type: 'object',
              description: 'A CloudEvent in structured mode.',
              additionalProperties: true,
            },
          },
          ['leaseId', 'attempt', 'event'],
        ),
      },
    },
    ['messages'],
  ),
} as const satisfies Schema;

export const eventStreamSchema = {
  title: 'EventStream',
  type: 'string',
  description:
    'Messages with `id` (ce-id), `event` (ce-type) and `data` (a CloudEvent in structured mode).',
} as const satisfies Schema;

const expired = {
  type: 'array',
  items: { type: 'string' },
  description: 'Leases that expired, or never were; their messages are offered again.',
} as const;

/** The outcome of a call with leases: how many were valid, under the name of the call. */
export const settledSchema = <const Title extends string, const Verb extends string>(
  title: Title,
  verb: Verb,
) => ({ title, ...record({ [verb]: { type: 'integer' }, expired }, [verb, 'expired']) }) as const;
