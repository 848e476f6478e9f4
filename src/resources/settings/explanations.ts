import type { Explanations } from '#src/kernel/explanation.ts';
import type { settingsRefusals } from '#src/events/settings/refusals.ts';

export const settingsExplanations: Explanations<keyof typeof settingsRefusals> = {
  INDEX_NOT_FOUND: 'The metadata of these records is not indexed by this key.',
  TOO_MANY_INDEXES:
    'The metadata of one kind of records takes 20 indexes. Drop one that is not used.',
  INDEX_NOT_BUILT: {
    means:
      'A unique index was asked for, and there are more values than can be looked through in half a minute. There is no ' +
      'index then.',
    detail: 'There are more values than can be looked through in 30 s.',
    entityType: 'MetadataIndex',
  },
  INDEX_PROTECTED: 'The store keeps this index for itself; it cannot be dropped.',
  ENTITY_UNKNOWN: 'entity_name is not one of the kinds of records whose metadata may be indexed.',
};
