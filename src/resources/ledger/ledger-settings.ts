import { defaultSettings, type LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { flag, record, type Version } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { settingsReader } from './settings-reader.ts';

const groups = {
  accounting: record({ validateAccountType: flag, validateRoutes: flag, requireHolder: flag }, [
    'validateAccountType',
    'validateRoutes',
    'requireHolder',
  ]),
  tracer: record(
    {
      mode: { type: 'string', enum: ['off', 'advisory', 'enforce'] },
      failPosture: { type: 'string', enum: ['open', 'closed'] },
      timeoutMs: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
    ['mode', 'failPosture', 'timeoutMs'],
  ),
  overrides: record({ allowFeeSkip: flag, allowTracerSkip: flag, allowHolderSkip: flag }, [
    'allowFeeSkip',
    'allowTracerSkip',
    'allowHolderSkip',
  ]),
  crossLedger: record({ enabled: flag }, ['enabled']),
} as const;

const { crossLedger: _, ...groupsOfVersion1 } = groups;

/** Contract ledger §2.3, with all members. Version 1 has no groups, and omits the setting about them. */
export const ledgerSettingsSchema = {
  title: 'LedgerSettings',
  ...record(groupsOfVersion1, ['accounting', 'tracer', 'overrides']),
} as const satisfies Schema;

export const ledgerSettingsSchemaV2 = {
  title: 'LedgerSettingsV2',
  ...record(groups, ['accounting', 'tracer', 'overrides', 'crossLedger']),
} as const satisfies Schema;

/** `enforce` needs a reservation service, and none can be configured yet. */
const tracer = {
  ...groups.tracer,
  properties: {
    ...groups.tracer.properties,
    mode: {
      ...groups.tracer.properties.mode,
      published: { type: 'string', enum: ['off', 'advisory'] },
    },
  },
} as const;

/** Any part of the settings; an absent member stays as it is, or gets its default. */
export const ledgerSettingsBody = {
  ...record(
    {
      accounting: partOf(groups.accounting),
      tracer: partOf(tracer),
      overrides: partOf(groups.overrides),
      crossLedger: partOf(groups.crossLedger),
    },
    [],
  ),
  reads: settingsReader,
} as const satisfies Schema;

/** In bytes. */
export const SETTINGS_LIMIT = 64 * 1024;

/** Shows the settings in effect, including defaults. */
export const ledgerSettingsView = (
  { settings }: Pick<LedgerRecord, 'settings'>,
  version: Version,
) => settingsIn(settings ?? defaultSettings, version);

export function settingsIn({ crossLedger, ...shown }: LedgerSettings, version: Version) {
  return version === 2 ? { ...shown, crossLedger } : shown;
}

function partOf<const Group extends Schema>(group: Group) {
  return { ...group, required: [] } as const;
}
