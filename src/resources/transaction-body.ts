import { newMetadata } from './common.ts';
import type { Schema, Shaped } from './schema.ts';

const description = { type: 'string', maxLength: 256 } as const;
const route = { type: 'string', maxLength: 250, deprecated: true } as const;
const routeId = { type: 'string', format: 'uuid' } as const;
const decimal = { type: 'string', format: 'decimal' } as const;

/** One side's share of a transaction; which of the three quantities it has is a rule, not a shape. */
const leg = {
  type: 'object',
  properties: {
    accountAlias: { type: 'string', minLength: 1 },
    balanceKey: { type: 'string', maxLength: 100 },
    amount: {
      type: 'object',
      properties: { asset: { type: 'string', minLength: 1 }, value: decimal },
      required: ['asset', 'value'],
      additionalProperties: false,
    },
    share: {
      type: 'object',
      properties: {
        percentage: { type: 'integer', minimum: 1, maximum: 100 },
        percentageOfPercentage: { type: 'integer', minimum: 0, maximum: 100 },
      },
      required: ['percentage'],
      additionalProperties: false,
    },
    remaining: { type: 'string' },
    rate: {
      type: 'object',
      properties: {
        from: { type: 'string' },
        to: { type: 'string' },
        value: decimal,
        externalId: { type: 'string' },
      },
      additionalProperties: false,
    },
    description,
    chartOfAccounts: { type: 'string', maxLength: 256 },
    metadata: newMetadata,
    route,
    routeId,
    isFrom: { type: 'boolean', description: 'Ignored' },
  },
  required: ['accountAlias'],
  additionalProperties: false,
} as const satisfies Schema;

const legs = {
  type: 'array',
  items: leg,
  allOf: [{ minItems: 1, refusal: 'REQUIRED_FIELDS' }, { maxItems: 500 }],
} as const satisfies Schema;

const remaining = { type: 'string', description: 'Without effect' } as const;

/** Contract ledger §5.3, the JSON form. A value that is absent counts as 0, which a rule refuses. */
export const createTransactionBody = {
  type: 'object',
  properties: {
    chartOfAccountsGroupName: { type: 'string', maxLength: 256 },
    description,
    code: { type: 'string', maxLength: 100 },
    // Clients write the default out; transactions that wait for a commit are not offered yet.
    pending: { type: 'boolean', enum: [false] },
    metadata: newMetadata,
    route,
    routeId,
    transactionDate: { type: 'string', format: 'instant', refusal: 'BODY_UNREADABLE' },
    skip: {
      type: 'object',
      properties: { fees: { type: 'boolean' }, tracer: { type: 'boolean' } },
      additionalProperties: false,
    },
    send: {
      type: 'object',
      properties: {
        asset: { type: 'string', minLength: 1 },
        value: decimal,
        source: {
          type: 'object',
          properties: { from: legs, remaining },
          required: ['from'],
          additionalProperties: false,
        },
        distribute: {
          type: 'object',
          properties: { to: legs, remaining },
          required: ['to'],
          additionalProperties: false,
        },
      },
      required: ['asset', 'source', 'distribute'],
      additionalProperties: false,
    },
  },
  required: ['send'],
  additionalProperties: false,
} as const satisfies Schema;

export type CreateTransactionBody = Shaped<typeof createTransactionBody>;
