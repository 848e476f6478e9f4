import { projection, put } from '#projections/projection.ts';
import type { ProtectionAudit, RegistryEvent } from '#src/events/registry/registry.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** Attempts to set up the protection of an organization. */
export const protectionAuditProjection = projection<RegistryEvent>(
  {
    name: 'protectionAudit',
    version: 1,
    keys: {
      tenantId: 'text',
      organizationId: 'text',
      action: 'text',
      actor: 'text',
      outcome: 'text',
      createdAt: 'text',
    },
    indexes: [['tenantId', 'organizationId']],
  },
  { EncryptionProvisioned: attempt, EncryptionProvisioningAudited: attempt },
);

function attempt({
  data: { audit },
  tenantId,
  position,
}: Recorded<Readonly<{ audit: ProtectionAudit }>>): readonly Write[] {
  const { id, organizationId, action, actor, outcome, timestamp } = audit;
  return put({
    id,
    born: position,
    keys: { tenantId, organizationId, action, actor, outcome, createdAt: timestamp },
    body: JSON.stringify(audit),
  });
}
