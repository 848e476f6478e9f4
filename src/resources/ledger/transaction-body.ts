import { decimal, flag, name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import { decimalAboveZero, has } from '#src/kernel/published.ts';
import type { PublishedSchema, Schema, Shaped } from '#src/kernel/schema.ts';
import {
  changedOwnMetadata,
  changedTransactionMetadata,
  ownMetadata,
  newTransactionMetadata,
} from './transaction-metadata.ts';

const route = { ...text(250), deprecated: true } as const;

/** A percentage of the value, and optionally a percentage of that part. */
export const share = record(
  {
    percentage: { type: 'integer', minimum: 1, maximum: 100 },
    percentageOfPercentage: { type: 'integer', minimum: 0, maximum: 100 },
  },
  ['percentage'],
);

/** One leg of a side. */
const anyLeg = record(
  {
    accountAlias: { type: 'string', minLength: 1 },
    balanceKey: text(100),
    amount: record({ asset: name(100), value: decimalAboveZero }, ['asset', 'value']),
    share,
    remaining: { type: 'string' },
    rate: record(
      {
        from: { type: 'string' },
        to: { type: 'string' },
        value: decimal,
        externalId: { type: 'string' },
      },
      [],
    ),
    description: text(256),
    chartOfAccounts: text(256),
    metadata: ownMetadata,
    route,
    routeId: uuid,
    isFrom: { ...flag, description: 'Without effect' },
  },
  ['accountAlias'],
);

const something = { type: 'object' } as const;

/** A rule with its own code refuses a leg without exactly one of the three quantities. */
const leg = {
  ...anyLeg,
  published: {
    title: 'RequestedLeg',
    ...anyLeg,
    oneOf: [
      has('amount', something),
      has('share', something),
      has('remaining', { type: 'string', minLength: 1 }),
    ],
  },
} as const satisfies Schema;

/** A side: 1 to 500 legs. */
export const legsOf = <const Leg extends Schema>(items: Leg) =>
  ({
    type: 'array',
    items,
    allOf: [{ minItems: 1, refusal: 'REQUIRED_FIELDS' }, { maxItems: 500 }],
  }) as const;

const legs = legsOf(leg);

const remaining = { type: 'string', description: 'Without effect' } as const;

/** The members of every form; `pending` and `skip` are added where they apply. */
const words = {
  chartOfAccountsGroupName: text(256),
  description: text(256),
  code: text(100),
  metadata: newTransactionMetadata,
  route,
  routeId: uuid,
  transactionDate: { type: 'string', format: 'instant', refusal: 'BODY_UNREADABLE' },
} as const;
export const skip = record({ fees: flag, tracer: flag }, []);

/** An absent value counts as 0, which a rule refuses, so it is published as required. */
const total = { asset: name(100), value: decimalAboveZero } as const;
const withValue = <const Send extends Schema & { required: readonly string[] }>(send: Send) =>
  ({ ...send, published: { ...send, required: [...send.required, 'value'] } }) as const;
const source = record({ from: legs, remaining }, ['from']);
const distribute = record({ to: legs, remaining }, ['to']);
const send = withValue(record({ ...total, source, distribute }, ['asset', 'source', 'distribute']));

/** A rule with its own code refuses a date on a pending transaction. */
const undatedPending = {
  not: {
    properties: { pending: { const: true }, transactionDate: { type: 'string' } },
    required: ['pending', 'transactionDate'],
  },
} as const satisfies PublishedSchema;
const dated = <const Body extends Schema>(body: Body) =>
  ({ ...body, published: { ...body, ...undatedPending } }) as const;

/** Contract ledger §5.3, the JSON form. */
export const createTransactionBody = dated(
  record({ ...words, pending: flag, skip, send }, ['send']),
) satisfies Schema;

/** The source is the external account. */
export const createInflowBody = record(
  { ...words, skip, send: withValue(record({ ...total, distribute }, ['asset', 'distribute'])) },
  ['send'],
) satisfies Schema;

/** The destination is the external account. */
export const createOutflowBody = dated(
  record(
    {
      ...words,
      pending: flag,
      skip,
      send: withValue(record({ ...total, source }, ['asset', 'source'])),
    },
    ['send'],
  ),
) satisfies Schema;

export const createAnnotationBody = record(
  { ...words, pending: { ...flag, description: 'Without effect' }, send },
  ['send'],
) satisfies Schema;

/** Blocks and unblocks settle at once. */
export const createBlockBody = createAnnotationBody;

export const updateTransactionBody = record(
  { description: text(256), metadata: changedTransactionMetadata },
  [],
) satisfies Schema;

export const updateOperationBody = record(
  { description: text(256), metadata: changedOwnMetadata },
  [],
) satisfies Schema;

export type CreateTransactionBody = Shaped<typeof createTransactionBody>;

/** An item of a batch: the JSON form, and its own idempotency key. */
export const batchItem = dated(
  record(
    {
      ...createTransactionBody.properties,
      idempotencyKey: {
        type: 'string',
        pattern: '^[!-~]*$',
        maxLength: 1024,
        must: 'be at most 1024 visible ASCII characters',
      },
    },
    ['send'],
  ),
) satisfies Schema;

/** Contract ledger §5.3. Items are checked one by one, so that an invalid one does not stop the others. */
export const createBatchBody = record(
  {
    atomic: { type: 'boolean', default: false },
    transactions: {
      type: 'array',
      items: { ...batchItem, unchecked: true },
      allOf: [
        { minItems: 1, refusal: 'BATCH_SIZE' },
        { maxItems: 1000, refusal: 'BATCH_SIZE' },
      ],
    },
  },
  ['transactions'],
) satisfies Schema;

export type BatchItem = Shaped<typeof batchItem>;
