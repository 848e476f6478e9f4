import { projection, put } from '#projections/projection.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';

/** Organizations of a tenant. They have journals of their own, so their order is the log's. */
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
    OrganizationCreated: ({ data: { organization }, tenantId, position }) =>
      put({
        id: organization.id,
        born: position,
        keys: {
          tenantId,
          // Names are looked for by their beginning, in any letter case.
          legalName: organization.legalName.toLowerCase(),
          doingBusinessAs: organization.doingBusinessAs?.toLowerCase() ?? null,
          legalDocument: organization.legalDocument,
          status: organization.status.code,
          createdAt: organization.createdAt,
        },
        body: JSON.stringify(organization),
      }),
  },
);
