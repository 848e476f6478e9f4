import type { ProtectionAudit } from '#src/events/registry/registry.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { instant, record, uuid } from '#src/kernel/schema-fragments.ts';

/* Contract registry-and-fees §A6 and §A10. The bodies of protection are in snake case on the wire. */

const text = { type: 'string' } as const;

export const erasureCertificateSchema = {
  title: 'ErasureCertificate',
  ...record(
    {
      id: uuid,
      entityType: text,
      entityId: uuid,
      keyId: { ...uuid, description: 'The data key; it has the id of the record that it sealed' },
      destroyedAt: instant,
      positions: record({ first: text, last: text }, ['first', 'last']),
      hash: {
        type: 'string',
        description: 'The hash of the event in the log that recorded the erasure',
      },
    },
    ['id', 'entityType', 'entityId', 'keyId', 'destroyedAt', 'positions', 'hash'],
  ),
} as const satisfies Schema;

const audited = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  refusal: 'AUDIT_DATA_MISSING',
} as const;

/** Both are required by a rule with its own code. */
export const provisionBody = {
  ...record({ actor: audited, reason: audited }, []),
  published: {
    title: 'ProvisionEncryption',
    ...record({ actor: audited, reason: audited }, ['actor', 'reason']),
  },
} as const satisfies Schema;

export const encryptionSchema = {
  title: 'Encryption',
  ...record(
    {
      organization_id: uuid,
      kek_path: text,
      aead_primary_key_id: text,
      prf_primary_key_id: text,
      status: text,
    },
    ['organization_id', 'kek_path', 'aead_primary_key_id', 'prf_primary_key_id', 'status'],
  ),
} as const satisfies Schema;

export const encryptionStatusSchema = {
  title: 'EncryptionStatus',
  ...record({ organization_id: uuid, status: text, provisioned: { type: 'boolean' } }, [
    'organization_id',
    'provisioned',
  ]),
} as const satisfies Schema;

const auditSchema = {
  title: 'ProtectionAuditRecord',
  ...record(
    {
      id: uuid,
      action: text,
      actor: text,
      outcome: { type: 'string', enum: ['success', 'failure', 'already_exists'] },
      reason: text,
      from_status: text,
      to_status: text,
      timestamp: instant,
      request_id: text,
    },
    [
      ...(['id', 'action', 'actor', 'outcome', 'reason', 'from_status', 'to_status'] as const),
      ...(['timestamp', 'request_id'] as const),
    ],
  ),
} as const satisfies Schema;

export const protectionAuditSchema = {
  title: 'ProtectionAudit',
  ...record(
    {
      organization_id: uuid,
      items: { type: 'array', items: auditSchema },
      limit: { type: 'integer' },
      next_cursor: text,
      prev_cursor: text,
    },
    ['organization_id', 'items', 'limit'],
  ),
} as const satisfies Schema;

export const protectionAuditView = (audit: ProtectionAudit): object => ({
  id: audit.id,
  action: audit.action,
  actor: audit.actor,
  outcome: audit.outcome,
  reason: audit.reason,
  from_status: audit.fromStatus,
  to_status: audit.toStatus,
  timestamp: audit.timestamp,
  request_id: audit.requestId,
});
