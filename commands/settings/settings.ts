import type { Decider, JournalOf } from '#src/kernel/decider.ts';
import { settingsJournal } from '#src/kernel/journal-name.ts';
import type { SettingsFact, UniqueKeys } from '#src/kernel/unique-values.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';
import {
  createMetadataIndex,
  deleteMetadataIndex,
  finishMetadataIndex,
  giveUpMetadataIndex,
  nameOf,
  type MetadataIndexCommand,
} from './metadata-index.ts';

/** The settings of a tenant, which apply to all its organizations. */
export type SettingsState = {
  began: boolean;
  /** Indexes by kind of record and key; at most a few for each kind. */
  readonly indexes: Map<string, MetadataIndexRecord>;
  /** The keys of unique indexes, built or being built. */
  unique: UniqueKeys;
};

export type SettingsCommand = MetadataIndexCommand;

export type SettingsJournal = JournalOf<SettingsCommand, SettingsEvent>;

export const journalOfSettings = (tenantId: string): SettingsJournal => ({
  name: settingsJournal(tenantId),
});

export const settingsDecider: Decider<SettingsState, SettingsCommand, SettingsEvent> = {
  category: 'settings',
  snapshotVersion: 2,
  isOftenAbsent: true,

  initialState: () => ({ began: false, indexes: new Map(), unique: new Map() }),

  needs: () => undefined, // The state is enough.

  decide({ indexes }, command, _, stamp) {
    switch (command.type) {
      case 'CreateMetadataIndex':
        return createMetadataIndex(indexes, command, stamp);
      case 'FinishMetadataIndex':
        return finishMetadataIndex(indexes, command);
      case 'GiveUpMetadataIndex':
        return giveUpMetadataIndex(indexes, command);
      case 'DeleteMetadataIndex':
        return [deleteMetadataIndex(indexes, command)];
      default:
        return unreachable(command);
    }
  },

  evolve(settings, event) {
    settings.began = true;
    switch (event.type) {
      case 'MetadataIndexCreated':
      case 'MetadataIndexBuilt':
        settings.indexes.set(nameOf(event.data.index), event.data.index);
        break;
      case 'MetadataIndexDeleted':
        settings.indexes.delete(nameOf(event.data.index));
        break;
      default:
        unreachable(event);
    }
    settings.unique = uniqueIn(settings.indexes);
  },

  fact: ({ began, unique }): (SettingsFact & { live: boolean }) | undefined =>
    began ? { live: true, ...(unique.size > 0 && { unique }) } : undefined,

  toSnapshot: ({ began, indexes }) => [JSON.stringify({ began, indexes: [...indexes.values()] })],
  fromSnapshot(chunks) {
    const [chunk = ''] = chunks;
    const { began, indexes: records } = JSON.parse(chunk) as SettingsSnapshot;
    const indexes = new Map(records.map((index) => [nameOf(index), index]));
    return { began, indexes, unique: uniqueIn(indexes) };
  },
};

/** Creates a new map with every change, because others keep the one before. */
function uniqueIn(indexes: SettingsState['indexes']): UniqueKeys {
  const keys = new Map<string, Set<string>>();
  for (const { unique, entityName, metadataKey } of indexes.values()) {
    if (!unique) continue;
    keys.set(entityName, (keys.get(entityName) ?? new Set()).add(metadataKey));
  }
  return keys;
}

type SettingsSnapshot = Readonly<{ began: boolean; indexes: readonly MetadataIndexRecord[] }>;
