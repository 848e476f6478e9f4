import { name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';
import { decimalAboveZero, has } from '#src/kernel/published.ts';
import { legsOf, share, skip } from './transaction-body.ts';
import { SCHEMES } from './transaction.ts';
import { ownMetadata } from './transaction-metadata.ts';

/** A leg says itself in which ledger it is. */
const anyLeg = record(
  {
    alias: {
      type: 'string',
      minLength: 1,
      pattern: '^[^#]*$',
      refusal: 'ALIAS_INVALID',
      must: 'not contain #',
    },
    organizationId: uuid,
    ledgerId: uuid,
    amount: decimalAboveZero,
    share,
    balanceKey: text(100),
    description: text(256),
    operationRouteId: uuid,
  },
  ['alias', 'organizationId', 'ledgerId'],
);

/** A rule refuses a leg without exactly one of an amount and a share, with a code of its own. */
const leg = {
  ...anyLeg,
  published: {
    title: 'RequestedLegV2',
    ...anyLeg,
    oneOf: [has('amount', { type: ['string', 'number'] }), has('share', { type: 'object' })],
  },
} as const satisfies Schema;

const legs = legsOf(leg);

const members = {
  asset: name(100),
  amount: decimalAboveZero,
  debits: legs,
  credits: legs,
  description: text(256),
  code: text(100),
  metadata: ownMetadata,
  routeId: uuid,
  operationRouteId: { ...uuid, description: 'Of the legs that name none' },
  scheme: { type: 'string', enum: SCHEMES },
} as const;
const required = ['asset', 'amount', 'debits', 'credits'] as const;

/** Contract ledger §5.4: posted at once, or held. */
export const createDirectBody = record(
  { ...members, skip, accountBlockExceptionId: uuid },
  required,
) satisfies Schema;

/** A rule refuses an exception with a hold, with a code of its own: nothing is debited yet. */
export const createHoldBody = {
  ...createDirectBody,
  published: record({ ...members, skip }, required),
} as const satisfies Schema;

/** Funds that are set aside, or given back: nothing is charged, so nothing is skipped. */
export const createMoveBody = record(members, required) satisfies Schema;

/** An item of a batch: what is done, and its place among the others. */
const batchItem = record(
  {
    action: { type: 'string', enum: ['direct', 'hold'], refusal: 'BATCH_STRUCTURE' },
    order: { type: 'integer', minimum: 1, refusal: 'BATCH_STRUCTURE' },
    ...createDirectBody.properties,
  },
  ['action', 'order', ...required],
) satisfies Schema;

/** Contract ledger §5.4. A deployment may take fewer. */
export const createBatchBodyV2 = record(
  {
    transactions: {
      type: 'array',
      items: batchItem,
      allOf: [
        { minItems: 1, refusal: 'BATCH_SIZE' },
        { maxItems: 50, refusal: 'BATCH_SIZE' },
      ],
    },
  },
  ['transactions'],
) satisfies Schema;

export type BatchItemV2 = Shaped<typeof batchItem>;

export type CreateDirectBody = Shaped<typeof createDirectBody>;
