import type { AssetRateRecord } from '#src/events/ledger/ledger.ts';
import { codeCharacters, publishedCode } from './asset.ts';
import {
  changedMetadata,
  instant,
  metadataView,
  record,
  textOrNull,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const lengths = { minLength: 2, maxLength: 10 } as const;
const code = {
  type: 'string',
  ...lengths,
  allOf: codeCharacters,
  published: { ...publishedCode, ...lengths },
} as const;

/** Whole numbers that a double holds exactly: no rate is ever rounded. */
const upToSafe = { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } as const;

/** Contract ledger §6.3. The value is rate × 10^−scale. */
export const putAssetRateBody = record(
  {
    from: code,
    to: code,
    rate: { ...upToSafe, minimum: 1, zeroIsAbsent: true },
    scale: { ...upToSafe, minimum: 0, default: 0 },
    source: textOrNull(200),
    ttl: { ...upToSafe, minimum: 0, default: 0, description: 'Seconds' },
    externalId: uuid,
    metadata: changedMetadata,
  },
  ['from', 'to', 'rate'],
) satisfies Schema;

export const assetRateSchema = {
  title: 'AssetRate',
  links: { members: { asset_code: 'from' } },
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      externalId: uuid,
      from: { type: 'string' },
      to: { type: 'string' },
      rate: { type: 'number' },
      scale: { type: 'number' },
      source: textOrNull(200),
      ttl: { type: 'integer' },
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
    },
    [
      'id',
      'organizationId',
      'ledgerId',
      'externalId',
      'from',
      'to',
      'rate',
      'scale',
      'source',
      'ttl',
      'metadata',
      'createdAt',
      'updatedAt',
    ],
  ),
} as const satisfies Schema;

export const assetRateView = (rate: AssetRateRecord) => ({
  id: rate.id,
  organizationId: rate.organizationId,
  ledgerId: rate.ledgerId,
  externalId: rate.externalId,
  from: rate.from,
  to: rate.to,
  rate: rate.rate,
  scale: rate.scale,
  source: rate.source,
  ttl: rate.ttl,
  metadata: rate.metadata ?? {},
  createdAt: rate.createdAt,
  updatedAt: rate.updatedAt,
});
