import type { PublishedSchema } from './schema.ts';

/**
 * The schema of a decimal in a request: at most 30 digits on either side of the point (contract ledger §1.3). It leaves out
 * exponents, which are accepted too, because no pattern can state which of them stay within the range, nor can a schema count the
 * fractional digits of a number.
 */
export const DECIMAL = {
  title: 'Decimal',
  type: ['string', 'number'],
  format: 'decimal',
  pattern: '^[+-]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})$',
  exclusiveMinimum: -1e30,
  exclusiveMaximum: 1e30,
} as const satisfies PublishedSchema;

/** The rules for a text need two patterns; generators of clients find a choice of two types. */
const DECIMAL_ABOVE_ZERO = {
  title: 'DecimalAboveZero',
  type: DECIMAL.type,
  format: DECIMAL.format,
  pattern: '[1-9]',
  anyOf: [
    { type: 'string', pattern: '^[+]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})$' },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: DECIMAL.exclusiveMaximum },
  ],
} as const satisfies PublishedSchema;

/** A decimal that a rule refuses unless it is above zero. */
export const decimalAboveZero = {
  type: 'string',
  format: 'decimal',
  published: DECIMAL_ABOVE_ZERO,
} as const;

/** Requires a member; null counts as absent. */
export const has = (member: string, as: PublishedSchema): PublishedSchema => ({
  properties: { [member]: as },
  required: [member],
});
