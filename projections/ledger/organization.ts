import { projection, put, remove } from '#projections/projection.ts';
import type { OrganizationEvent, OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** Organizations of a tenant. Each has its own journal, so their order is the log's. */
export const organizationProjection = projection<OrganizationEvent>(
  {
    name: 'organization',
    version: 1,
    keys: {
      tenantId: 'text',
      legalName: 'text',
      doingBusinessAs: 'text',
      legalDocument: 'text',
      status: 'text',
      createdAt: 'text',
    },
    indexes: [['tenantId']],
  },
  {
    OrganizationCreated: whole,
    OrganizationUpdated: whole,
    OrganizationDeleted: ({ data: { organization } }) => remove(organization.id),
  },
);

/** The row keeps its list position. */
function whole({
  data: { organization },
  tenantId,
  position,
}: Recorded<Readonly<{ organization: OrganizationRecord }>>): readonly Write[] {
  return put({
    id: organization.id,
    born: position,
    keys: {
      tenantId,
      // Clients search names by prefix and ignore letter case.
      legalName: organization.legalName.toLowerCase(),
      doingBusinessAs: organization.doingBusinessAs?.toLowerCase() ?? null,
      legalDocument: organization.legalDocument,
      status: organization.status.code,
      createdAt: organization.createdAt,
    },
    body: JSON.stringify(organization),
  });
}
