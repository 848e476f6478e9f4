import { name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';
import { decimalAboveZero, has } from '#src/kernel/published.ts';
import { legsOf, share, skip } from './transaction-body.ts';
import { SCHEMES } from './transaction.ts';
import { ownMetadata } from './transaction-metadata.ts';

/** A leg names its own ledger. */
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

/** A rule with its own code refuses a leg that has both an amount and a share, or neither. */
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

/** Contract ledger §5.4: a transaction that is posted at once, or held. */
export const createDirectBody = record(
  { ...members, skip, accountBlockExceptionId: uuid },
  required,
) satisfies Schema;

/** A rule with its own code refuses a block exception with a hold, because a hold debits nothing yet. */
export const createHoldBody = {
  ...createDirectBody,
  published: record({ ...members, skip }, required),
} as const satisfies Schema;

/** Blocks or unblocks funds. There are no fees, so there is nothing to skip. */
export const createMoveBody = record(members, required) satisfies Schema;

/** An item of a batch: its action, and its number in the batch. */
const batchItem = record(
  {
    action: { type: 'string', enum: ['direct', 'hold'], refusal: 'BATCH_STRUCTURE' },
    order: { type: 'integer', minimum: 1, refusal: 'BATCH_STRUCTURE' },
    ...createDirectBody.properties,
  },
  ['action', 'order', ...required],
) satisfies Schema;

/** Contract ledger §5.4. A deployment may allow fewer items. */
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
