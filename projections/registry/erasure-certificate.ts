import { projection, put } from '#projections/projection.ts';
import type { ErasureCertificate, RegistryEvent } from '#src/events/registry/registry.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** A certificate, with the revision of the event that recorded it. */
export type CertificateRow = ErasureCertificate & Readonly<{ revision: Revision }>;

export const erasureCertificateProjection = projection<RegistryEvent>(
  {
    name: 'erasureCertificate',
    version: 1,
    keys: { tenantId: 'text', organizationId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'organizationId']],
  },
  { HolderErased: recorded, InstrumentErased: recorded },
);

function recorded({
  data: { certificate },
  tenantId,
  revision,
  position,
}: Recorded<Readonly<{ certificate: ErasureCertificate }>>): readonly Write[] {
  return put({
    id: certificate.id,
    born: position,
    keys: {
      tenantId,
      organizationId: certificate.organizationId,
      createdAt: certificate.destroyedAt,
    },
    body: JSON.stringify({ ...certificate, revision } satisfies CertificateRow),
  });
}
