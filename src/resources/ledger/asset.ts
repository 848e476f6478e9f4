import { currencyCodes } from '#src/kernel/iso-4217.ts';
import {
  changedMetadata,
  changedStatus,
  name,
  newMetadata,
  metadataView,
  newStatus,
  record,
  recordView,
  statusView,
} from '#src/kernel/schema-fragments.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';

/** The patterns of an asset code, wherever one is named. */
export const codeCharacters = [
  { pattern: '^\\p{L}*$', refusal: 'CODE_CHARACTERS', must: 'consist of letters' },
  // Codes with other characters already fail the pattern above.
  {
    pattern: '^(\\p{Lu}*|[^]*\\P{L}[^]*)$',
    refusal: 'CODE_NOT_UPPER_CASE',
    must: 'be in upper case',
  },
] as const satisfies readonly Schema[];

/** The upper-case letters on which all regex engines agree; those of other alphabets are accepted as well. */
export const publishedCode = {
  type: 'string',
  pattern: '^[A-Z]+$',
  description: 'Letters in upper case, also beyond A to Z',
} as const satisfies PublishedSchema;

/** Contract ledger §3.1. The decider checks that the code of a currency is in ISO 4217. */
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

const createAssetBody = {
  ...anyAsset,
  published: {
    ...anyAsset,
    if: { properties: { type: { enum: ['currency', 'fiat'] } }, required: ['type'] },
    then: { properties: { code: { enum: currencyCodes } }, required: ['code'] },
  },
} as const satisfies Schema;

export const assetResource = {
  name: 'Asset',
  nouns: ['an asset', 'assets'],
  tag: 'Assets',
  path: 'assets',

  create: createAssetBody,
  /** The name is required; type and code never change. */
  update: record(
    { name: { ...name(256), minLength: 0 }, status: changedStatus, metadata: changedMetadata },
    ['name'],
  ),
  view: {
    ...recordView(
      'Asset',
      ['organizationId', 'ledgerId'],
      {
        name: { type: 'string' },
        type: { type: 'string' },
        code: { type: 'string' },
        status: statusView,
        metadata: metadataView,
      },
      ['metadata'],
    ),
    links: { members: { asset_code: 'code' } },
  },
  /** Clients that change only the status send an empty name. */
  changes: ({ name: sent, ...changes }: Readonly<{ name: string }>) => ({
    ...changes,
    ...(sent !== '' && { name: sent }),
  }),

  notes: {
    create: 'its external account is created with it',
    delete: 'no account may hold it, and its external account is deleted with it',
  },
  remarks: {
    create:
      'Name and code must be unique in the ledger, and the code of a currency must be in ISO 4217.',
    update: 'An empty `name` leaves it as it is; `metadata` is replaced as a whole.',
    delete: 'Refused as well while the balance of the external account is not zero.',
  },
  refusals: {
    create: [
      'ASSET_TAKEN',
      'CODE_NOT_UPPER_CASE',
      'NOT_ISO_4217',
      'CODE_CHARACTERS',
      'TYPE_NOT_ALLOWED',
    ],
    update: ['ASSET_TAKEN'],
    delete: ['BALANCE_BLOCKS_DELETION'],
  },
  list: { paging: 'page' },
  rows: { parent: 'ledgerId' },
} as const satisfies RecordResource;
