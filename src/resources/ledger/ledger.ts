import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  statusView,
  uuid,
  type Version,
} from '#src/kernel/schema-fragments.ts';
import {
  ledgerSettingsBody,
  ledgerSettingsSchema,
  ledgerSettingsSchemaV2,
  settingsIn,
} from './ledger-settings.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

/** Contract ledger §2.2. */
export const createLedgerBody = record(
  {
    name: name(256),
    status: newStatus,
    metadata: newMetadata,
    settings: ledgerSettingsBody,
  },
  ['name'],
) satisfies Schema;

export type CreateLedgerBody = Shaped<typeof createLedgerBody>;

export const updateLedgerBody = record(
  { name: changedName(256), status: changedStatus, metadata: changedMetadata },
  [],
) satisfies Schema;

export const ledgerSchema = {
  title: 'Ledger',
  ...ledgerWith(ledgerSettingsSchema),
} as const satisfies Schema;

export const ledgerSchemaV2 = {
  title: 'LedgerV2',
  ...ledgerWith(ledgerSettingsSchemaV2),
} as const satisfies Schema;

function ledgerWith<const Settings extends Schema>(settings: Settings) {
  return record(
    {
      id: uuid,
      organizationId: uuid,
      name: { type: 'string' },
      status: statusView,
      metadata: metadataView,
      settings,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'name', 'status', 'createdAt', 'updatedAt', 'deletedAt'],
  );
}

export const ledgerView = (ledger: LedgerRecord, version: Version) => ({
  id: ledger.id,
  organizationId: ledger.organizationId,
  name: ledger.name,
  status: ledger.status,
  metadata: ledger.metadata,
  settings: ledger.settings && settingsIn(ledger.settings, version),
  createdAt: ledger.createdAt,
  updatedAt: ledger.updatedAt,
  deletedAt: ledger.deletedAt,
});
