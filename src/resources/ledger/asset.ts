import { currencyCodes } from '#src/kernel/iso-4217.ts';
import type { AssetRecord } from '#src/events/ledger/ledger.ts';
import {
  changedMetadata,
  changedStatus,
  instantOrNull,
  uuid,
  instant,
  name,
  newMetadata,
  metadataView,
  newStatus,
  record,
  statusView,
} from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, Schema, Shaped } from '#src/kernel/schema.ts';

/** What the code of an asset consists of, wherever one is named. */
export const codeCharacters = [
  { pattern: '^\\p{L}*$', refusal: 'CODE_CHARACTERS', must: 'consist of letters' },
  // Any other character is the pattern above's to name.
  {
    pattern: '^(\\p{Lu}*|[^]*\\P{L}[^]*)$',
    refusal: 'CODE_NOT_UPPER_CASE',
    must: 'be in upper case',
  },
] as const satisfies readonly Schema[];

/** What every engine takes for letters in upper case; those of other alphabets are accepted as well. */
export const publishedCode = {
  type: 'string',
  pattern: '^[A-Z]+$',
  description: 'Letters in upper case, also beyond A to Z',
} as const satisfies PublishedSchema;

/** Contract ledger §3.1. Whether the code of a currency is one of ISO 4217 is the decider's to say. */
const anyAsset = record(
  {
    name: name(256),
    type: {
      type: 'string',
      enum: ['currency', 'crypto', 'commodity', 'others', 'fiat'],
      refusal: 'TYPE_NOT_ALLOWED',
    },
    code: {
      type: 'string',
      maxLength: 100,
      allOf: codeCharacters,
      published: { ...publishedCode, maxLength: 100 },
    },
    status: newStatus,
    metadata: newMetadata,
  },
  ['name', 'type', 'code'],
);

export const createAssetBody = {
  ...anyAsset,
  published: {
    ...anyAsset,
    if: { properties: { type: { enum: ['currency', 'fiat'] } }, required: ['type'] },
    then: { properties: { code: { enum: currencyCodes } }, required: ['code'] },
  },
} as const satisfies Schema;

export type CreateAssetBody = Shaped<typeof createAssetBody>;

/** The name always comes along, and empty leaves it as it is; type and code never change. */
export const updateAssetBody = record(
  { name: { ...name(256), minLength: 0 }, status: changedStatus, metadata: changedMetadata },
  ['name'],
) satisfies Schema;

export const assetSchema = {
  title: 'Asset',
  links: { members: { asset_code: 'code' } },
  ...record(
    {
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
    [
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
  ),
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
