import {
  BILLING_DISCOUNT,
  CALCULATED_FEE_KEYS,
  FEE_EXEMPTION,
  FEE_KEYS,
} from '#src/kernel/fee-keys.ts';
import { metadataReader } from '#src/kernel/metadata-reader.ts';
import { changedMetadata, newMetadata } from '#src/kernel/schema-fragments.ts';

const reserved = { keys: FEE_KEYS, use: 'fees' };
const own = metadataReader('metadata-own', { reserved });
/** Clients post the transactions that a billing calculation returns. */
const billed = metadataReader('metadata-billed', { reserved, nested: [BILLING_DISCOUNT] });
const ownMerge = metadataReader('metadata-own-merge', { reserved, update: 'merge' });

/**
 * Under /v1 fees may have been charged before a transaction is posted, so its metadata accepts the results of the fee
 * calculation.
 */
const charged = {
  reserved: {
    keys: new Set([...FEE_KEYS].filter((key) => !CALCULATED_FEE_KEYS.has(key))),
    use: 'fees',
  },
  nested: [FEE_EXEMPTION, BILLING_DISCOUNT],
};

/**
 * The values of a transaction's `metadata`: `feeExemption`, a result of version 1's fee calculation, may be an object, and
 * so may `discount`, one of billing calculations.
 */
const transactionValues = {
  type: ['string', 'number', 'boolean', 'object'],
  additionalProperties: { type: ['string', 'number', 'boolean'] },
} as const;
export const newTransactionMetadata = {
  type: 'object',
  additionalProperties: transactionValues,
  reads: metadataReader('metadata-fees', { ...charged, version2: billed }),
} as const;
export const changedTransactionMetadata = {
  type: ['object', 'null'],
  additionalProperties: { ...transactionValues, type: [...transactionValues.type, 'null'] },
  reads: metadataReader('metadata-fees-patch', {
    ...charged,
    update: 'clear',
    version2: ownMerge,
  }),
} as const;

/** `metadata` without the keys that only fees write: for legs and operations, and for transactions in version 2. */
export const ownMetadata = { ...newMetadata, reads: own } as const;
export const changedOwnMetadata = {
  ...changedMetadata,
  reads: metadataReader('metadata-own-patch', {
    reserved,
    update: 'clear',
    version2: ownMerge,
  }),
} as const;

export const transactionMetadataView = {
  type: 'object',
  additionalProperties: transactionValues,
} as const;
