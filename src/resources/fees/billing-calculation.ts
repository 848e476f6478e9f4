import { BILLING_TYPES } from '#src/events/fees/billing-package.ts';
import { record, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const period = {
  type: 'string',
  pattern: '^\\d{4}-(W\\d{2}|\\d{2}(-\\d{2})?)$',
  must: 'be a month (2026-01), an ISO week (2026-W05) or a day (2026-01-31)',
  refusal: 'BILLING_PERIOD',
  wrongType: 'BILLING_PERIOD',
  published: {
    type: 'string',
    pattern: '^[0-9]{4}-(W(0[1-9]|[1-4][0-9]|5[0-3])|(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)$',
    description: 'A month (2026-01), an ISO week (2026-W05) or a day (2026-01-31), in UTC',
    examples: ['2026-01', '2026-W05', '2026-01-31'],
  },
} as const;
const type = {
  type: 'string',
  enum: BILLING_TYPES,
  refusal: 'BILLING_TYPE_UNKNOWN',
  wrongType: 'BILLING_TYPE_UNKNOWN',
} as const;
const ledgerId = { ...uuid, refusal: 'FEE_LEDGER_INVALID' } as const;

const bodyWithLedger = record({ ledgerId, period, type }, ['ledgerId', 'period']);

/** The body of a calculation by form; the path of version 2 names the ledger. */
export const billingBodies = {
  header: bodyWithLedger,
  organization: bodyWithLedger,
  ledger: record({ period, type }, ['period']),
} as const satisfies Record<string, Schema>;

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;
const decimal = { type: 'string', format: 'decimal' } as const;

const discount = record(
  { discountPercentage: decimal, discountAmount: decimal, minQuantity: count },
  ['discountPercentage', 'discountAmount', 'minQuantity'],
);

/** Explains the figures of a charge; it has the members of the type of the package. */
const metadata = {
  title: 'BillingMetadata',
  ...record(
    {
      billingType: text,
      billingPackageId: uuid,
      label: text,
      period: text,
      accountAlias: {
        ...text,
        description: 'The source account, if transactions are counted by account',
      },
      totalEvents: count,
      freeQuotaUsed: count,
      billableEvents: count,
      pricingModel: text,
      unitPrice: { ...decimal, description: 'The price of the tier that applies' },
      grossAmount: decimal,
      netAmount: decimal,
      discount,
      totalAccounts: count,
      feeAmount: decimal,
    },
    ['billingType', 'billingPackageId', 'label', 'period'],
  ),
} as const;

const leg = {
  title: 'BillingLeg',
  ...record(
    { accountAlias: text, amount: record({ asset: text, value: decimal }, ['asset', 'value']) },
    ['accountAlias', 'amount'],
  ),
} as const;
const legs = { type: 'array', items: leg } as const;

/** A transaction of version 1; it has no members if there is nothing to pay. */
const payload = {
  title: 'BillingTransaction',
  ...record(
    {
      code: text,
      description: text,
      metadata,
      send: record(
        {
          asset: text,
          value: decimal,
          source: record({ from: legs }, ['from']),
          distribute: record({ to: legs }, ['to']),
        },
        ['asset', 'value', 'source', 'distribute'],
      ),
    },
    [],
  ),
} as const;

const result = {
  title: 'BillingResult',
  ...record(
    {
      billingPackageId: uuid,
      billingPackageLabel: text,
      billingType: text,
      period: text,
      totalAccounts: count,
      totalCharged: count,
      totalSkipped: count,
      totalNetAmount: decimal,
      transactionPayload: payload,
    },
    [
      ...(['billingPackageId', 'billingPackageLabel', 'billingType', 'period'] as const),
      ...(['totalAccounts', 'totalCharged', 'totalSkipped'] as const),
      ...(['totalNetAmount', 'transactionPayload'] as const),
    ],
  ),
} as const;

export const billingView = {
  title: 'CalculatedBilling',
  ...record(
    {
      results: { type: 'array', items: result },
      summary: record(
        {
          totalResults: count,
          totalVolume: count,
          totalMaintenance: count,
          totalNetAmount: decimal,
        },
        ['totalResults', 'totalVolume', 'totalMaintenance', 'totalNetAmount'],
      ),
    },
    ['results', 'summary'],
  ),
} as const satisfies Schema;
