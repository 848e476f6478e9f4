import {
  BILLED_STATUSES,
  BILLING_TYPES,
  COUNT_MODES,
  PRICING_MODELS,
  type BillingPackageRecord,
} from '#src/events/fees/billing-package.ts';
import { flag, instant, notBlank, record, textOrNull, uuid } from '#src/kernel/schema-fragments.ts';
import { viewBy } from '#src/kernel/record-resource.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import {
  accountAlias,
  accountTarget,
  discountTiers,
  feeAmount,
  freeQuota,
  tiers,
} from './billing-reader.ts';
import { keptFlag, keptText } from './kept-member.ts';

/** Short enough that a transaction's description can name the package and its period. */
const LABEL_MAX = 200;
const DESCRIPTION_MAX = 1000;
const ROUTE_MAX = 250;

const word = <const Words extends readonly string[]>(words: Words, refusal: string) =>
  ({ type: 'string', enum: words, refusal, wrongType: refusal }) as const;

const eventFilter = record(
  {
    transactionRoute: notBlank(ROUTE_MAX),
    status: { type: 'string', enum: BILLED_STATUSES },
  },
  ['transactionRoute', 'status'],
);

const common = {
  label: notBlank(LABEL_MAX),
  description: textOrNull(DESCRIPTION_MAX),
  type: word(BILLING_TYPES, 'BILLING_TYPE_UNKNOWN'),
  enable: { ...flag, default: true },
  assetCode: notBlank(100),
} as const;
const volume = {
  eventFilter,
  pricingModel: word(PRICING_MODELS, 'BILLING_PRICING_MODEL'),
  tiers,
  freeQuota,
  discountTiers,
  countMode: word(COUNT_MODES, 'BILLING_COUNT_MODE'),
  debitAccountAlias: accountAlias,
  creditAccountAlias: accountAlias,
} as const;
const maintenance = {
  feeAmount,
  maintenanceCreditAccount: accountAlias,
  accountTarget,
} as const;

const always = ['label', 'type', 'assetCode'] as const;

/** The body has the members of both types; which ones a type has is published as a choice. */
function createBodyWith(ledger: Readonly<Record<string, Schema>>) {
  const needed = [...always, ...Object.keys(ledger)];
  const option = (
    type: string,
    own: Readonly<Record<string, Schema>>,
    required: readonly string[],
  ): PublishedSchema => {
    const members = { ...ledger, ...common, type: { const: type }, ...own };
    return record(members, [...needed, ...required] as []);
  };
  return {
    ...record({ ...ledger, ...common, ...volume, ...maintenance }, needed as []),
    published: {
      oneOf: [
        option('volume', volume, [
          ...(['eventFilter', 'pricingModel', 'tiers'] as const),
          ...(['debitAccountAlias', 'creditAccountAlias'] as const),
        ]),
        option('maintenance', maintenance, Object.keys(maintenance)),
      ],
    },
  } satisfies Schema;
}

const ledgerId = { ...uuid, refusal: 'FEE_LEDGER_INVALID' } as const;
const bodyWithLedger = createBodyWith({ ledgerId });

/** The body of a creation by form; the path of version 2 names the ledger. */
export const billingPackageBodies = {
  header: bodyWithLedger,
  organization: bodyWithLedger,
  ledger: createBodyWith({}),
} as const;

/** An empty text counts as not sent, because typed clients send unset texts so. */
export const billingPackageChanges = record(
  {
    label: keptText(LABEL_MAX),
    description: { ...textOrNull(DESCRIPTION_MAX), emptyIsAbsent: true, minLength: 1 },
    enable: keptFlag(),
  },
  [],
);

const decimalView = { type: 'string', format: 'decimal' } as const;
const count = { type: 'integer' } as const;
const text = { type: 'string' } as const;

const members = {
  id: uuid,
  organizationId: uuid,
  ledgerId: uuid,
  label: text,
  description: text,
  type: text,
  enable: flag,
  eventFilter: record({ transactionRoute: text, status: text }, ['transactionRoute', 'status']),
  pricingModel: text,
  tiers: {
    type: 'array',
    items: {
      title: 'PriceTier',
      ...record({ minQuantity: count, maxQuantity: count, unitPrice: decimalView }, [
        'minQuantity',
        'unitPrice',
      ]),
    },
  },
  freeQuota: count,
  discountTiers: {
    type: 'array',
    items: {
      title: 'DiscountTier',
      ...record({ minQuantity: count, discountPercentage: decimalView }, [
        'minQuantity',
        'discountPercentage',
      ]),
    },
  },
  countMode: text,
  assetCode: text,
  debitAccountAlias: text,
  creditAccountAlias: text,
  feeAmount: decimalView,
  maintenanceCreditAccount: text,
  accountTarget: record(
    { segmentId: uuid, portfolioId: uuid, aliases: { type: 'array', items: text } },
    [],
  ),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instant,
} as const;

/** A billing package in responses; members that are not set are left out. */
export const billingPackageView = {
  title: 'BillingPackage',
  links: { members: { billing_package_id: 'id' } },
  ...record(members, [
    ...(['id', 'organizationId', 'ledgerId', 'label', 'type', 'enable', 'assetCode'] as const),
    ...(['createdAt', 'updatedAt'] as const),
  ]),
} as const satisfies Schema;

const viewed = viewBy(billingPackageView);

/** Shows a package as JSON text. */
export const shownBillingPackage = (one: object): string =>
  JSON.stringify(viewed(one), (_, value: unknown) => value ?? undefined);

/** The rows of billing packages. */
export const billingPackageRows = {
  name: 'BillingPackage',
  view: billingPackageView,
  rows: {
    parent: 'organizationId',
    keys: {
      ledgerId: (one: BillingPackageRecord) => one.ledgerId,
      type: (one: BillingPackageRecord) => one.type,
    },
    indexed: ['ledgerId'],
  },
} as const;
