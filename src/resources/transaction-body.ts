import { decimal, flag, name, newMetadata, record, text, uuid } from './common.ts';
import type { Schema, Shaped } from './schema.ts';

const route = { ...text(250), deprecated: true } as const;

/** One side's share of a transaction; which of the three quantities it has is a rule, not a shape. */
const leg = record(
  {
    accountAlias: { type: 'string', minLength: 1 },
    balanceKey: text(100),
    amount: record({ asset: name(100), value: decimal }, ['asset', 'value']),
    share: record(
      {
        percentage: { type: 'integer', minimum: 1, maximum: 100 },
        percentageOfPercentage: { type: 'integer', minimum: 0, maximum: 100 },
      },
      ['percentage'],
    ),
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
    metadata: newMetadata,
    route,
    routeId: uuid,
    isFrom: { ...flag, description: 'Without effect' },
  },
  ['accountAlias'],
);

const legs = {
  type: 'array',
  items: leg,
  allOf: [{ minItems: 1, refusal: 'REQUIRED_FIELDS' }, { maxItems: 500 }],
} as const satisfies Schema;

const remaining = { type: 'string', description: 'Without effect' } as const;

/** Contract ledger §5.3, the JSON form. A value that is absent counts as 0, which a rule refuses. */
export const createTransactionBody = record(
  {
    chartOfAccountsGroupName: text(256),
    description: text(256),
    code: text(100),
    // Clients write the default out; transactions that wait for a commit are not offered yet.
    pending: { type: 'boolean', enum: [false] },
    metadata: newMetadata,
    route,
    routeId: uuid,
    transactionDate: { type: 'string', format: 'instant', refusal: 'BODY_UNREADABLE' },
    skip: record({ fees: flag, tracer: flag }, []),
    send: record(
      {
        asset: name(100),
        value: decimal,
        source: record({ from: legs, remaining }, ['from']),
        distribute: record({ to: legs, remaining }, ['to']),
      },
      ['asset', 'source', 'distribute'],
    ),
  },
  ['send'],
) satisfies Schema;

export type CreateTransactionBody = Shaped<typeof createTransactionBody>;
