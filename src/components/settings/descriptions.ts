import type { Descriptions } from '#src/kernel/descriptions.ts';

/** The sentences of metadata indexes for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    'Metadata indexes':
      'Keys of metadata that lists search quickly and whose values may have to be unique.',
  },
  members: {
    indexName: 'The name of the index, formed from the key.',
    entityName: 'The kind of record whose metadata is indexed.',
    metadataKey:
      'At most 100 characters: a letter from A to Z in either case, then such letters, digits and _.',
    unique: 'Whether a write is refused that repeats a value.',
    sparse: 'Whether records without the key are left out of the index. By default true.',
  },
  parameters: {
    entity_name: 'The kind of record whose metadata is indexed, such as `account`.',
    index_key: 'The key of metadata that is indexed.',
  },
};
