import type { Explanation } from '#src/kernel/explanation.ts';
import type { settingsRefusals } from '#src/events/settings/refusals.ts';

export const settingsExplanations: Readonly<Record<keyof typeof settingsRefusals, Explanation>> = {
  INDEX_NOT_FOUND: {
    means: 'The metadata of these records is not indexed by this key.',
    detail: 'The metadata of account has no index on tier.',
    entityType: 'MetadataIndex',
  },
  TOO_MANY_INDEXES: {
    means: 'The metadata of one kind of records takes 20 indexes. Drop one that is not used.',
    detail: 'The metadata of account has 20 indexes, which is the most.',
    entityType: 'MetadataIndex',
  },
  INDEX_NOT_BUILT: {
    means:
      'A unique index was asked for, and there are more values than can be looked through in half a minute. There is no ' +
      'index then.',
    detail: 'There are more values than can be looked through in 30 s.',
    entityType: 'MetadataIndex',
  },
  INDEX_PROTECTED: {
    means: 'The store keeps this index for itself; it cannot be dropped.',
    detail: '_id_ is an index of the store itself.',
    entityType: 'MetadataIndex',
  },
  ENTITY_UNKNOWN: {
    means: 'entity_name is not one of the kinds of records whose metadata may be indexed.',
    detail: 'entity_name must be one of organization, ledger, account.',
    errors: [
      {
        location: 'path.entity_name',
        message: 'must be one of organization, ledger, account',
        value: 'holder',
      },
    ],
  },
};
