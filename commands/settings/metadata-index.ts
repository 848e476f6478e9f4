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

/** Ends the build of a unique index, after all values written before it were claimed. */
export type FinishMetadataIndex = Readonly<{ type: 'FinishMetadataIndex'; id: Uuid }>;

/** Takes back an index that cannot be built; repeating it changes nothing. */
export type GiveUpMetadataIndex = Readonly<{ type: 'GiveUpMetadataIndex'; id: Uuid }>;

export type MetadataIndexCommand =
  CreateMetadataIndex | FinishMetadataIndex | GiveUpMetadataIndex | DeleteMetadataIndex;

type Indexes = ReadonlyMap<string, MetadataIndexRecord>;

/** Creates an index, and takes back those whose build was abandoned. Errors: INDEX_CONFLICT, TOO_MANY_INDEXES. */
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

/** Errors: INDEX_CONFLICT if the index was dropped or taken back meanwhile. */
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

/** Returns true if the process that built the index must have ended. */
const isAbandoned = ({ building, createdAt }: MetadataIndexRecord, { at }: Stamp): boolean =>
  building === true && at - parseInstant(createdAt) > BUILDING_MS * 1000;

/** Longer than any build takes. */
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

/** The name is unique, because neither part contains a slash. */
export const nameOf = (index: Pick<MetadataIndexRecord, 'entityName' | 'metadataKey'>): string =>
  `${index.entityName}/${index.metadataKey}`;

/** Index names that clients know from the original store; no metadata key can have such a name. */
const OF_THE_STORE: ReadonlySet<string> = new Set(['_id', '_id_']);

const PER_ENTITY_MAX = 20;
