import type { Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings.ts';

export type CreateMetadataIndex = Readonly<{
  type: 'CreateMetadataIndex';
  fields: Pick<MetadataIndexRecord, 'entityName' | 'metadataKey' | 'unique' | 'sparse'>;
}>;

export type DeleteMetadataIndex = Readonly<{
  type: 'DeleteMetadataIndex';
  entityName: string;
  metadataKey: string;
}>;

export type MetadataIndexCommand = CreateMetadataIndex | DeleteMetadataIndex;

type Indexes = ReadonlyMap<string, MetadataIndexRecord>;

export function createMetadataIndex(
  indexes: Indexes,
  { fields }: CreateMetadataIndex,
  { ids, instant }: Stamp,
): SettingsEvent {
  const { entityName, metadataKey } = fields;
  if (indexes.has(nameOf(fields))) {
    throw refuse('INDEX_EXISTS', `The metadata of ${entityName} is indexed by ${metadataKey}.`, {
      findings: [{ location: 'metadataKey', message: 'is indexed', value: metadataKey }],
    });
  }
  const others = [...indexes.values()].filter((index) => index.entityName === entityName);
  if (others.length >= PER_ENTITY_MAX) {
    const detail = `The metadata of ${entityName} has ${PER_ENTITY_MAX} indexes, which is the most.`;
    throw refuse('TOO_MANY_INDEXES', detail);
  }
  return {
    type: 'MetadataIndexCreated',
    data: { index: { id: ids.next(), ...fields, createdAt: instant } },
  };
}

export function deleteMetadataIndex(
  indexes: Indexes,
  { entityName, metadataKey }: DeleteMetadataIndex,
): SettingsEvent {
  if (OF_THE_STORE.has(metadataKey)) {
    throw refuse('INDEX_PROTECTED', `${metadataKey} is an index of the store itself.`);
  }
  const index = indexes.get(nameOf({ entityName, metadataKey }));
  if (index === undefined) {
    const detail = `The metadata of ${entityName} has no index on ${metadataKey}.`;
    throw refuse('INDEX_NOT_FOUND', detail);
  }
  return { type: 'MetadataIndexDeleted', data: { index } };
}

/** Neither holds a slash. */
export const nameOf = (index: Pick<MetadataIndexRecord, 'entityName' | 'metadataKey'>): string =>
  `${index.entityName}/${index.metadataKey}`;

/** Known to clients by these names; no key of metadata can be called so. */
const OF_THE_STORE: ReadonlySet<string> = new Set(['_id', '_id_']);

const PER_ENTITY_MAX = 20;
