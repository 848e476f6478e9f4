import type { DiscountTier, PriceTier } from '#src/events/fees/billing-package.ts';
import { parseAmount } from '#src/kernel/amount.ts';
import { fits } from '#src/kernel/code-points.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import { decimalAboveZero } from '#src/kernel/published.ts';
import { isBlank, NOT_BLANK, notBlank, record, uuid } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, Schema, SchemaFinding, ValueReader } from '#src/kernel/schema.ts';
import { addFinding, isObject, onlyMembers } from '#src/kernel/value-reader.ts';
import { readDecimal } from './decimal-reader.ts';

const TIERS_MAX = 50;
const ALIASES_MAX = 100;
export const ALIAS_MAX = 256;
/** Far above any count of transactions, and exact as a number. */
const QUANTITY_MAX = 1_000_000_000_000_000;

const quantity = { type: 'integer', minimum: 0, maximum: QUANTITY_MAX } as const;
const decimal = { type: 'string', format: 'decimal' } as const;

const isQuantity = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= QUANTITY_MAX;

const QUANTITY = `must be an integer from 0 to ${QUANTITY_MAX}`;

type ItemReader = (
  sent: Readonly<Record<string, unknown>>,
  at: string,
  findings: SchemaFinding[],
) => unknown;

/** Adds a finding; the value then has no result. */
function flawed(...finding: Parameters<typeof addFinding>): unknown {
  addFinding(...finding);
  return undefined;
}

/** Reads a list of objects; every fault but a decimal that is none has the refusal of the list. */
function readList(
  sent: unknown,
  members: readonly string[],
  refusal: RefusalName,
  findings: SchemaFinding[],
  read: ItemReader,
): readonly unknown[] | undefined {
  const before = findings.length;
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > TIERS_MAX) {
    addFinding(findings, refusal, '', `must be a list of 1 to ${TIERS_MAX} objects`, sent);
    return undefined;
  }
  const items = sent.map((one: unknown, n) => {
    const at = `[${n}]`;
    if (!isObject(one)) return flawed(findings, refusal, at, 'must be an object', one);
    onlyMembers(one, members, `${at}.`, findings);
    return read(one, at, findings);
  });
  return findings.length > before ? undefined : items;
}

/** Reads a decimal as it is stored; `isIn` tells which values are allowed. */
function decimalIn(
  sent: unknown,
  location: string,
  findings: SchemaFinding[],
  refusal: RefusalName,
  [message, isIn]: readonly [message: string, isIn: (text: string) => boolean],
): string | undefined {
  if (typeof sent === 'string') {
    const value = readDecimal(sent, location, findings, refusal);
    if (value === undefined || isIn(value)) return value;
  }
  addFinding(findings, refusal, location, message, sent);
  return undefined;
}

const ABOVE_ZERO = ['must be a decimal above zero', (text: string) => text !== '0'] as const;
const PERCENTAGE = [
  'must be a decimal from 0 to 100',
  (text: string) => parseAmount(text) <= HUNDRED,
] as const;
const HUNDRED = parseAmount('100');

const readTier: ItemReader = (sent, at, findings) => {
  const { minQuantity: min, maxQuantity: max = null, unitPrice } = sent;
  const wrong = (member: string, message: string, value: unknown) =>
    flawed(findings, 'BILLING_TIERS', `${at}.${member}`, message, value);
  if (!isQuantity(min)) return wrong('minQuantity', QUANTITY, min);
  if (max !== null && !isQuantity(max)) return wrong('maxQuantity', QUANTITY, max);
  if (max !== null && max < min) {
    return wrong('maxQuantity', 'must not be below minQuantity', max);
  }
  const price = decimalIn(unitPrice, `${at}.unitPrice`, findings, 'BILLING_TIERS', ABOVE_ZERO);
  if (price === undefined) return undefined;
  return { minQuantity: min, ...(max !== null && { maxQuantity: max }), unitPrice: price };
};

function checkSequence(tiers: readonly PriceTier[], findings: SchemaFinding[]): void {
  tiers.forEach(({ maxQuantity }, n) => {
    const next = tiers[n + 1];
    const wrong = (member: string, message: string, value?: number) =>
      flawed(findings, 'BILLING_TIERS', member, message, value);
    if (next === undefined) {
      if (maxQuantity === undefined) return;
      wrong(`[${n}].maxQuantity`, 'must be left out in the last tier', maxQuantity);
    } else if (maxQuantity === undefined) {
      wrong(`[${n}].maxQuantity`, 'is required in all tiers but the last');
    } else if (next.minQuantity !== maxQuantity + 1) {
      const message = `must be ${maxQuantity + 1}, one above the maximum before`;
      wrong(`[${n + 1}].minQuantity`, message, next.minQuantity);
    }
  });
}

const tier = record({ minQuantity: quantity, maxQuantity: quantity, unitPrice: decimal }, [
  'minQuantity',
  'unitPrice',
]);
const publishedTier = record(
  { minQuantity: quantity, maxQuantity: quantity, unitPrice: decimalAboveZero },
  ['minQuantity', 'unitPrice'],
);

/** Prices by quantity. */
export const tiers = {
  type: 'array',
  items: tier,
  reads: {
    read: (sent, findings) => {
      const members = Object.keys(tier.properties);
      const read = readList(sent, members, 'BILLING_TIERS', findings, readTier) as
        readonly PriceTier[] | undefined;
      if (read !== undefined) checkSequence(read, findings);
      return read;
    },
    sent: {
      title: 'PriceTiers',
      type: 'array',
      minItems: 1,
      maxItems: TIERS_MAX,
      items: publishedTier,
    },
    refusals: ['BILLING_TIERS', 'FEE_NOT_A_DECIMAL', 'NUMBER_OUT_OF_RANGE'],
  },
} as const satisfies Schema;

const readDiscount: ItemReader = (sent, at, findings) => {
  const { minQuantity, discountPercentage } = sent;
  if (!isQuantity(minQuantity)) {
    const location = `${at}.minQuantity`;
    return flawed(findings, 'BILLING_DISCOUNT_TIERS', location, QUANTITY, minQuantity);
  }
  const location = `${at}.discountPercentage`;
  const refusal = 'BILLING_DISCOUNT_TIERS';
  const percentage = decimalIn(discountPercentage, location, findings, refusal, PERCENTAGE);
  return percentage === undefined ? undefined : { minQuantity, discountPercentage: percentage };
};

const discount = record({ minQuantity: quantity, discountPercentage: decimal }, [
  'minQuantity',
  'discountPercentage',
]);
const PERCENTAGE_TEXT = {
  title: 'PercentageTo100',
  type: ['string', 'number'],
  format: 'decimal',
  pattern: '^[+]?(0*100([.]0*)?|0*[0-9]{1,2}([.][0-9]{0,28})?|[.][0-9]{1,30})$',
  maxLength: 30,
  minimum: 0,
  maximum: 100,
} as const satisfies PublishedSchema;

/** Discounts by quantity, in ascending order, whatever the order in which they are sent. */
export const discountTiers = {
  type: 'array',
  items: discount,
  reads: {
    read: (sent, findings) => {
      const members = Object.keys(discount.properties);
      const read = readList(sent, members, 'BILLING_DISCOUNT_TIERS', findings, readDiscount) as
        readonly DiscountTier[] | undefined;
      if (read === undefined) return undefined;
      if (new Set(read.map(({ minQuantity }) => minQuantity)).size === read.length) {
        return [...read].sort((a, b) => a.minQuantity - b.minQuantity);
      }
      const message = 'must have different values of minQuantity';
      return flawed(findings, 'BILLING_DISCOUNT_TIERS', '', message, sent);
    },
    sent: {
      title: 'DiscountTiers',
      type: 'array',
      minItems: 1,
      maxItems: TIERS_MAX,
      items: record({ minQuantity: quantity, discountPercentage: PERCENTAGE_TEXT }, [
        'minQuantity',
        'discountPercentage',
      ]),
    },
    refusals: ['BILLING_DISCOUNT_TIERS', 'FEE_NOT_A_DECIMAL', 'NUMBER_OUT_OF_RANGE'],
  },
} as const satisfies Schema;

export const freeQuota = {
  ...quantity,
  refusal: 'BILLING_FREE_QUOTA',
  wrongType: 'BILLING_FREE_QUOTA',
} as const;

/** An amount above zero. */
export const feeAmount = {
  type: 'string',
  format: 'decimal',
  reads: {
    read: (sent, findings) => decimalIn(sent, '', findings, 'BILLING_FEE_AMOUNT', ABOVE_ZERO),
    sent: decimalAboveZero.published,
    refusals: ['BILLING_FEE_AMOUNT', 'FEE_NOT_A_DECIMAL', 'NUMBER_OUT_OF_RANGE'],
  },
} as const satisfies Schema;

const targets = {
  segmentId: uuid,
  portfolioId: uuid,
  aliases: { type: 'array', items: { type: 'string' } },
} as const;

const readTarget: ValueReader['read'] = (sent, findings) => {
  const wrong = (at: string, message: string, value: unknown) =>
    flawed(findings, 'BILLING_ACCOUNT_TARGET', at, message, value);
  if (!isObject(sent)) return wrong('', 'must be an object', sent);
  onlyMembers(sent, Object.keys(targets), '', findings);
  const given = Object.keys(targets).filter((name) => (sent[name] ?? undefined) !== undefined);
  const [name, ...others] = given;
  if (name === undefined || others.length > 0) {
    return wrong('', 'must have exactly one of segmentId, portfolioId and aliases', sent);
  }
  const value = sent[name];
  if (name !== 'aliases') {
    const id = typeof value === 'string' ? parseUuid(value) : undefined;
    return id === undefined ? wrong(name, 'must be a UUID', value) : { [name]: id };
  }
  const isList = Array.isArray(value) && value.length > 0 && value.length <= ALIASES_MAX;
  if (!isList) return wrong(name, `must be a list of 1 to ${ALIASES_MAX} aliases`, value);
  const aliases = value as readonly unknown[];
  const isAlias = (one: unknown) =>
    typeof one === 'string' && !isBlank(one) && fits(one, ALIAS_MAX);
  if (!aliases.every(isAlias)) {
    return wrong(name, `must be texts of 1 to ${ALIAS_MAX} characters`, value);
  }
  if (new Set(aliases).size < aliases.length) return wrong(name, 'must differ', value);
  return { aliases };
};

const PUBLISHED_TARGETS = {
  segmentId: uuid,
  portfolioId: uuid,
  aliases: {
    type: 'array',
    minItems: 1,
    maxItems: ALIASES_MAX,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: ALIAS_MAX, pattern: NOT_BLANK },
  },
} as const satisfies Readonly<Record<keyof typeof targets, PublishedSchema>>;

/** The accounts that pay for maintenance. */
export const accountTarget = {
  ...record(targets, []),
  reads: {
    read: readTarget,
    sent: {
      title: 'AccountTarget',
      oneOf: Object.entries(PUBLISHED_TARGETS).map(([name, schema]) => ({
        ...record({}, []),
        properties: { [name]: schema },
        required: [name],
      })),
    },
    refusals: ['BILLING_ACCOUNT_TARGET'],
  },
} as const satisfies Schema;

export const accountAlias = notBlank(ALIAS_MAX);
