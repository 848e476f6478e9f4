import { defaultSettings } from '#src/domain/ledger-settings.ts';
import type { LedgerRecord } from '#src/events/ledger.ts';
import { flag, record } from './common.ts';
import type { Schema } from './schema.ts';

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
      timeoutMs: { type: 'integer', minimum: 1 },
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

/** Contract ledger §2.3, complete. */
export const ledgerSettingsSchema = {
  title: 'LedgerSettings',
  ...record(groups, ['accounting', 'tracer', 'overrides', 'crossLedger']),
} as const satisfies Schema;

/** Any part of them; what is left out stays as it is, or is the default. Read by src/http/settings-reading.ts. */
export const ledgerSettingsBody = {
  ...record(
    {
      accounting: partOf(groups.accounting),
      tracer: partOf(groups.tracer),
      overrides: partOf(groups.overrides),
      crossLedger: partOf(groups.crossLedger),
    },
    [],
  ),
  reads: 'settings',
} as const satisfies Schema;

/** Bytes. */
export const SETTINGS_LIMIT = 64 * 1024;

/** The settings that hold, whether anybody set them or not. */
export const ledgerSettingsView = ({ settings }: Pick<LedgerRecord, 'settings'>) =>
  settings ?? defaultSettings;

function partOf<const Group extends Schema>(group: Group) {
  return { ...group, required: [] } as const;
}
