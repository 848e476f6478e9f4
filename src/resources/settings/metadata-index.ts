import { uniqueEntities } from '#src/kernel/unique-values.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import { flag, record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

/** Kinds of records whose metadata may be indexed (contract ledger §6.4). */
export const entityNames = ['organization', ...uniqueEntities] as const;

export const createMetadataIndexBody = record(
  {
    metadataKey: {
      type: 'string',
      maxLength: 100,
      pattern: '^[a-zA-Z][a-zA-Z0-9_]*$',
      must: 'begin with a letter from A to Z, and go on with such letters, digits and _',
    },
    unique: {
      type: 'boolean',
      default: false,
      description:
        'Whether a write is refused that repeats a value among the records of one ledger, or of one organization. Not for organization.',
    },
    sparse: { type: 'boolean', default: true },
  },
  ['metadataKey'],
) satisfies Schema;

export const metadataIndexSchema = {
  title: 'MetadataIndex',
  links: { members: { index_key: 'metadataKey' } },
  ...record(
    {
      indexName: { type: 'string' },
      entityName: { type: 'string', enum: entityNames },
      metadataKey: { type: 'string' },
      unique: flag,
      sparse: flag,
    },
    ['indexName', 'entityName', 'metadataKey', 'unique', 'sparse'],
  ),
} as const satisfies Schema;

export const metadataIndexView = (index: MetadataIndexRecord) => ({
  indexName: `metadata.${index.metadataKey}_1`,
  entityName: index.entityName,
  metadataKey: index.metadataKey,
  unique: index.unique,
  sparse: index.sparse,
});
