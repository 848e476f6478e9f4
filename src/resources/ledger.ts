import type { LedgerRecord } from '#src/events/ledger.ts';
import {
  instantOrNull,
  uuid,
  instant,
  newMetadata,
  metadataView,
  newStatus,
  statusView,
} from './common.ts';
import type { Schema, Shaped } from './schema.ts';

/** Contract ledger §2.2. */
export const createLedgerBody = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 256 },
    status: newStatus,
    metadata: newMetadata,
  },
  required: ['name'],
  additionalProperties: false,
} as const satisfies Schema;

export type CreateLedgerBody = Shaped<typeof createLedgerBody>;

export const ledgerSchema = {
  title: 'Ledger',
  type: 'object',
  properties: {
    id: uuid,
    organizationId: uuid,
    name: { type: 'string' },
    status: statusView,
    metadata: metadataView,
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instantOrNull,
  },
  required: ['id', 'organizationId', 'name', 'status', 'createdAt', 'updatedAt', 'deletedAt'],
} as const satisfies Schema;

export const ledgerView = (ledger: LedgerRecord) => ({
  id: ledger.id,
  organizationId: ledger.organizationId,
  name: ledger.name,
  status: ledger.status,
  metadata: ledger.metadata,
  createdAt: ledger.createdAt,
  updatedAt: ledger.updatedAt,
  deletedAt: ledger.deletedAt,
});
