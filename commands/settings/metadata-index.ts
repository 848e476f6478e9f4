import type { Decision, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/settings/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant } from '#src/kernel/instant.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';

export type CreateMetadataIndex = Readonly<{
  type: 'CreateMetadataIndex';
  fields: Pick<MetadataIndexRecord, 'entityName' | 'metadataKey' | 'unique' | 'sparse'>;
}>;

export type DeleteMetadataIndex = Readonly<{
  type: 'DeleteMetadataIndex';
  entityName: string;
  metadataKey: string;
}>;

/** Second step of a unique one: every value that there was is claimed. */
export type FinishMetadataIndex = Readonly<{ type: 'FinishMetadataIndex'; id: Uuid }>;

/** The other second step: it cannot be built. Done already, it changes nothing. */
export type GiveUpMetadataIndex = Readonly<{ type: 'GiveUpMetadataIndex'; id: Uuid }>;

export type MetadataIndexCommand =
  CreateMetadataIndex | FinishMetadataIndex | GiveUpMetadataIndex | DeleteMetadataIndex;

type Indexes = ReadonlyMap<string, MetadataIndexRecord>;

/** What was left half built is taken back on the occasion. */
export function createMetadataIndex(
  indexes: Indexes,
  { fields }: CreateMetadataIndex,
  stamp: Stamp,
): SettingsEvent[] {
  const { entityName, metadataKey, unique } = fields;
  const abandoned = [...indexes.values()].filter((index) => isAbandoned(index, stamp));
  const known = indexes.get(nameOf(fields));
  if (known !== undefined && !abandoned.includes(known)) {
    throw refuse('INDEX_CONFLICT', `The metadata of ${entityName} is indexed by ${metadataKey}.`, {
      findings: [{ location: 'metadataKey', message: 'is indexed', value: metadataKey }],
    });
  }
  const others = [...indexes.values()].filter(
    (index) => index.entityName === entityName && !abandoned.includes(index),
  );
  if (others.length >= PER_ENTITY_MAX) {
    const detail = `The metadata of ${entityName} has ${PER_ENTITY_MAX} indexes, which is the most.`;
    throw refuse('TOO_MANY_INDEXES', detail);
  }
  const index = { id: stamp.ids.next(), ...fields, createdAt: stamp.instant };
  const created: SettingsEvent = {
    type: 'MetadataIndexCreated',
    data: { index: { ...index, ...(unique && { building: true }) } },
  };
  return [...abandoned.map(deleted), created];
}

/** Errors: INDEX_CONFLICT when it was dropped meanwhile, or given up. */
export function finishMetadataIndex(
  indexes: Indexes,
  { id }: FinishMetadataIndex,
): Decision<SettingsEvent> {
  const known = withId(indexes, id);
  if (known === undefined)
    throw refuse('INDEX_CONFLICT', 'The index was dropped while it was made.');
  const { building, ...index } = known;
  const built: SettingsEvent = { type: 'MetadataIndexBuilt', data: { index } };
  return building === true ? [built] : { unchanged: built };
}

export function giveUpMetadataIndex(
  indexes: Indexes,
  { id }: GiveUpMetadataIndex,
): SettingsEvent[] {
  const index = withId(indexes, id);
  return index?.building === true ? [deleted(index)] : [];
}

const withId = (indexes: Indexes, id: Uuid): MetadataIndexRecord | undefined =>
  [...indexes.values()].find((index) => index.id === id);

/** No process works on it any more. */
const isAbandoned = ({ building, createdAt }: MetadataIndexRecord, { at }: Stamp): boolean =>
  building === true && at - parseInstant(createdAt) > BUILDING_MS * 1000;

/** Longer than any process builds one. */
export const BUILDING_MS = 120_000;

const deleted = (index: MetadataIndexRecord): SettingsEvent => ({
  type: 'MetadataIndexDeleted',
  data: { index },
});

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
  return deleted(index);
}

/** Neither holds a slash. */
export const nameOf = (index: Pick<MetadataIndexRecord, 'entityName' | 'metadataKey'>): string =>
  `${index.entityName}/${index.metadataKey}`;

/** Known to clients by these names; no key of metadata can be called so. */
const OF_THE_STORE: ReadonlySet<string> = new Set(['_id', '_id_']);

const PER_ENTITY_MAX = 20;
