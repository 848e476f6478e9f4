import type { Decider, JournalOf } from '#src/domain/decider.ts';
import { settingsJournal } from '#src/domain/journal-name.ts';
import { unreachable } from '#src/domain/unreachable.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings.ts';
import {
  createMetadataIndex,
  deleteMetadataIndex,
  nameOf,
  type MetadataIndexCommand,
} from './metadata-index.ts';

/** What holds for all organizations of a tenant. */
export type Settings = {
  began: boolean;
  /** By kind of record and key; a few at most for each kind. */
  readonly indexes: Map<string, MetadataIndexRecord>;
};

export type SettingsCommand = MetadataIndexCommand;

export type SettingsJournal = JournalOf<SettingsCommand, SettingsEvent>;

export const journalOfSettings = (tenantId: string): SettingsJournal => ({
  name: settingsJournal(tenantId),
});

export const settingsDecider: Decider<Settings, SettingsCommand, SettingsEvent> = {
  category: 'settings',
  snapshotVersion: 1,

  initialState: () => ({ began: false, indexes: new Map() }),

  needs: () => undefined, // The state is enough.

  decide({ indexes }, command, _, stamp) {
    switch (command.type) {
      case 'CreateMetadataIndex':
        return [createMetadataIndex(indexes, command, stamp)];
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
        settings.indexes.set(nameOf(event.data.index), event.data.index);
        break;
      case 'MetadataIndexDeleted':
        settings.indexes.delete(nameOf(event.data.index));
        break;
      default:
        unreachable(event);
    }
  },

  fact: ({ began }) => (began ? { live: true } : undefined),

  freeze: ({ began, indexes }) => [JSON.stringify({ began, indexes: [...indexes.values()] })],
  thaw(chunks) {
    const [chunk = ''] = chunks;
    const { began, indexes } = JSON.parse(chunk) as Frozen;
    return { began, indexes: new Map(indexes.map((index) => [nameOf(index), index])) };
  },
};

type Frozen = Readonly<{ began: boolean; indexes: readonly MetadataIndexRecord[] }>;
