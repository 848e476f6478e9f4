import { CALCULATED_FEE_KEYS, FEE_EXEMPTION, FEE_KEYS } from '#src/kernel/fee-keys.ts';
import { metadataReader } from '#src/kernel/metadata-reader.ts';
import { changedMetadata, newMetadata } from '#src/kernel/schema-fragments.ts';

const reserved = { keys: FEE_KEYS, use: 'fees' };
const own = metadataReader('metadata-own', { reserved });
const ownMerge = metadataReader('metadata-own-merge', { reserved, update: 'merge' });

/** Under /v1 a transaction may have been charged before it is posted, so it has what the calculation of fees returns. */
const charged = {
  reserved: {
    keys: new Set([...FEE_KEYS].filter((key) => !CALCULATED_FEE_KEYS.has(key))),
    use: 'fees',
  },
  nested: FEE_EXEMPTION,
};

/** `metadata` of a transaction: `feeExemption`, which version 1's calculation of fees answers with, may be an object. */
const transactionValues = {
  type: ['string', 'number', 'boolean', 'object'],
  additionalProperties: { type: ['string', 'number', 'boolean'] },
} as const;
export const newTransactionMetadata = {
  type: 'object',
  additionalProperties: transactionValues,
  reads: metadataReader('metadata-fees', { ...charged, version2: own }),
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

/** `metadata` without what only fees write: of legs and operations, and of transactions in version 2. */
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
