import { projection, put, remove } from '#projections/projection.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { HolderRecord } from '#src/events/registry/holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** The row of an organization's own holder, whose name and document are read from the organization. */
export type OwnHolderRow = Readonly<{ id: Uuid; own: true }>;
export type HolderRow = HolderRecord | OwnHolderRow;

/** Holders of an organization in the order of the log, its own one included. Persons stay sealed. */
export const holderProjection = projection<RegistryEvent | OrganizationEvent>(
  {
    name: 'holder',
    version: 1,
    keys: {
      tenantId: 'text',
      organizationId: 'text',
      holderId: 'text',
      externalId: 'text',
      isDeleted: 'integer',
      createdAt: 'text',
    },
    indexes: [
      ['tenantId', 'organizationId'],
      ['tenantId', 'organizationId', 'holderId'],
      ['tenantId', 'organizationId', 'externalId'],
    ],
  },
  {
    HolderCreated: whole,
    HolderUpdated: whole,
    HolderDeleted: whole,
    HolderErasureBegun: ({ data: { erasure } }) => remove(erasure.holderId),

    OrganizationCreated: ({ data: { organization, holderId: id }, tenantId, position }) =>
      put({
        id,
        born: position,
        keys: {
          tenantId,
          organizationId: organization.id,
          holderId: id,
          externalId: null,
          isDeleted: 0,
          createdAt: organization.createdAt,
        },
        body: JSON.stringify({ id, own: true } satisfies OwnHolderRow),
      }),
  },
);

/** An updated row keeps its place in the list. */
function whole({
  data: { holder },
  tenantId,
  position,
}: Recorded<Readonly<{ holder: HolderRecord }>>): readonly Write[] {
  const { id, organizationId, externalId = null, createdAt, deletedAt } = holder;
  return put({
    id,
    born: position,
    keys: {
      tenantId,
      organizationId,
      holderId: id,
      externalId,
      isDeleted: deletedAt === null ? 0 : 1,
      createdAt,
    },
    body: JSON.stringify(holder),
  });
}
