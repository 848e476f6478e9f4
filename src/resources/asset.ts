import type { AssetRecord } from '#src/events/ledger.ts';
import {
  instantOrNull,
  uuid,
  instant,
  newMetadata,
  metadataView,
  newStatus,
  statusView,
} from './common.ts';
import type { Schema, Shaped } from './schema.ts';

/** Contract ledger §3.1. Whether the code of a currency is one of ISO 4217 is the decider's to say. */
export const createAssetBody = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 256 },
    type: {
      type: 'string',
      enum: ['currency', 'crypto', 'commodity', 'others', 'fiat'],
      refusal: 'TYPE_NOT_ALLOWED',
    },
    code: {
      type: 'string',
      maxLength: 100,
      allOf: [
        { pattern: '^\\p{L}*$', refusal: 'CODE_CHARACTERS' },
        // Any other character is the pattern above's to name.
        { pattern: '^(\\p{Lu}*|[^]*\\P{L}[^]*)$', refusal: 'CODE_NOT_UPPER_CASE' },
      ],
    },
    status: newStatus,
    metadata: newMetadata,
  },
  required: ['name', 'type', 'code'],
  additionalProperties: false,
} as const satisfies Schema;

export type CreateAssetBody = Shaped<typeof createAssetBody>;

export const assetSchema = {
  title: 'Asset',
  type: 'object',
  properties: {
    id: uuid,
    organizationId: uuid,
    ledgerId: uuid,
    name: { type: 'string' },
    type: { type: 'string' },
    code: { type: 'string' },
    status: statusView,
    metadata: metadataView,
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instantOrNull,
  },
  required: [
    'id',
    'organizationId',
    'ledgerId',
    'name',
    'type',
    'code',
    'status',
    'createdAt',
    'updatedAt',
    'deletedAt',
  ],
} as const satisfies Schema;

export const assetView = (asset: AssetRecord) => ({
  id: asset.id,
  organizationId: asset.organizationId,
  ledgerId: asset.ledgerId,
  name: asset.name,
  type: asset.type,
  code: asset.code,
  status: asset.status,
  metadata: asset.metadata,
  createdAt: asset.createdAt,
  updatedAt: asset.updatedAt,
  deletedAt: asset.deletedAt,
});
