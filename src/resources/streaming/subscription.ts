import type { RecordResource } from '#src/kernel/record-resource.ts';
import { changedName, instant, name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { targetReader } from './target-reader.ts';

const LIST_MAX = 100;

const list = <const Items extends Schema>(items: Items, description: string) =>
  ({ type: 'array', maxItems: LIST_MAX, items, description }) as const;

const equality = (attribute: string) => `Values of ${attribute}`;
const filters = {
  ...record(
    {
      types: list(
        {
          type: 'string',
          maxLength: 256,
          pattern: '^([*]|[a-z0-9_-]+([.][a-z0-9_-]+)*([.][*])?)$',
          must: 'be segments of a-z, 0-9, _ and -, joined by periods; only the last may be *',
        },
        'Values of ce-type, or event keys such as account.created; a final * stands for one or more segments',
      ),
      resourceTypes: list(text(128), equality('ce-resourcetype')),
      eventTypes: list(text(128), equality('ce-eventtype')),
      subjects: list(text(1024), equality('ce-subject')),
      organizationIds: list(uuid, 'Organizations that events are about'),
      ledgerIds: list(uuid, 'Ledgers that events are about'),
    },
    [],
  ),
  description:
    'An event passes if it passes every filter given. An empty list passes nothing, and so does an object without members.',
} as const;

const FORMATS = ['structured', 'binary'] as const;
const ORDERINGS = ['none', 'key'] as const;
const STATUSES = ['active', 'paused', 'disabled'] as const;

const target = { type: 'object', reads: targetReader } as const;
const format = {
  type: 'string',
  enum: FORMATS,
  description:
    'structured: one JSON CloudEvent, whose signature covers every attribute. binary: attributes as headers.',
} as const;
const ordering = {
  type: 'string',
  enum: ORDERINGS,
  description: 'key: a message waits for the outcome of the previous one with its record key.',
} as const;
const rateLimit = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  description: 'The maximum number of messages a second.',
} as const;

export const createSubscriptionBody = record(
  {
    name: name(128),
    filters: { ...filters, default: {} },
    target,
    format: { ...format, default: 'structured' },
    ordering: { ...ordering, default: 'none' },
    rateLimit: { ...rateLimit, default: 50 },
    startAt: {
      anyOf: [{ const: 'now' }, { type: 'string', format: 'instant' }],
      default: 'now',
      description: 'The time of the first events it delivers; not in the future.',
    },
  },
  ['name', 'target'],
) satisfies Schema;

const viewedTarget = {
  anyOf: [
    record(
      {
        kind: { const: 'webhook' },
        url: { type: 'string' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        timeoutMs: { type: 'integer' },
      },
      ['kind', 'url', 'timeoutMs'],
    ),
    ...(['queue', 'bus'] as const).map((kind) =>
      record(
        {
          kind: { const: kind },
          provider: { type: 'string' },
          address: { type: 'string' },
          credentials: { type: 'string' },
        },
        ['kind', 'provider', 'address'],
      ),
    ),
    record({ kind: { const: 'pull' } }, ['kind']),
  ],
} as const;

const viewed = {
  id: uuid,
  name: { type: 'string' },
  filters: record(
    Object.fromEntries(
      Object.keys(filters.properties).map((filter) => [
        filter,
        { type: 'array', items: { type: 'string' } },
      ]),
    ),
    [],
  ),
  target: viewedTarget,
  format: { type: 'string', enum: FORMATS },
  ordering: { type: 'string', enum: ORDERINGS },
  rateLimit: { type: 'integer' },
  status: {
    type: 'string',
    enum: STATUSES,
    description: 'disabled: set by the service, after days without a success or by a 410.',
  },
  startAt: { anyOf: [{ const: 'now' }, instant] },
  createdAt: instant,
  updatedAt: instant,
} as const satisfies Schema['properties'];

const members = Object.keys(viewed) as (keyof typeof viewed)[];

export const subscriptionSchema = { title: 'Subscription', ...record(viewed, members) };

/** The secret is shown once: it is not in other responses. */
const secret = {
  type: 'string',
  description:
    'Signs deliveries to a webhook (Standard Webhooks). It is shown only here: keep it where your receiver finds it.',
} as const;

export const createdSubscriptionSchema = {
  title: 'CreatedSubscription',
  links: { members: { subscription_id: 'id' } },
  ...record({ ...viewed, secret }, members),
};

export const rotatedSecretSchema = {
  title: 'RotatedSecret',
  ...record({ secret }, ['secret']),
} as const;

export const subscriptionResource = {
  name: 'Subscription',
  nouns: ['a subscription', 'subscriptions'],
  tag: 'Subscriptions',
  path: 'subscriptions',
  namespace: 'streaming',
  create: createSubscriptionBody,
  update: record({ name: changedName(128), filters, target, format, ordering, rateLimit }, []),
  view: subscriptionSchema,
  remarks: {
    update: 'Filters and target are replaced as a whole if they are sent.',
    delete: 'Its signing secrets are destroyed, and nothing is delivered any more.',
  },
  list: { paging: 'page' },
  rows: {},
} as const satisfies RecordResource;
