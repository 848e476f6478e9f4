import { projection, put, remove } from '#projections/projection.ts';
import {
  PARTY_ROLES,
  type InstrumentRecord,
  type PartyRole,
} from '#src/events/registry/instrument.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** The keys that are 1 if a related party has a role. */
export const roleKeys = {
  PRIMARY_HOLDER: 'hasPrimaryHolder',
  LEGAL_REPRESENTATIVE: 'hasLegalRepresentative',
  RESPONSIBLE_PARTY: 'hasResponsibleParty',
} as const satisfies Readonly<Record<PartyRole, string>>;

/** Instruments of an organization in the order of the log. What is protected stays sealed. */
export const instrumentProjection = projection<RegistryEvent>(
  {
    name: 'instrument',
    version: 1,
    keys: {
      tenantId: 'text',
      organizationId: 'text',
      instrumentId: 'text',
      holderId: 'text',
      ledgerId: 'text',
      accountId: 'text',
      branch: 'text',
      hasPrimaryHolder: 'integer',
      hasLegalRepresentative: 'integer',
      hasResponsibleParty: 'integer',
      isDeleted: 'integer',
      createdAt: 'text',
    },
    indexes: [
      ['tenantId', 'organizationId'],
      ['tenantId', 'organizationId', 'instrumentId'],
      ['tenantId', 'organizationId', 'holderId'],
      ['tenantId', 'organizationId', 'accountId'],
      ['tenantId', 'organizationId', 'ledgerId'],
    ],
  },
  {
    InstrumentCreated: whole,
    InstrumentUpdated: whole,
    RelatedPartyDeleted: whole,
    InstrumentDeleted: whole,
    InstrumentErasureBegun: ({ data: { erasure } }) => remove(erasure.instrumentId),
  },
);

/** An updated row keeps its place in the list. */
function whole({
  data: { instrument },
  tenantId,
  position,
}: Recorded<Readonly<{ instrument: InstrumentRecord }>>): readonly Write[] {
  const { id, organizationId, holderId, ledgerId, accountId, createdAt, deletedAt } = instrument;
  const { bankingDetails, relatedParties = [] } = instrument;
  const roles = PARTY_ROLES.map((role) => [
    roleKeys[role],
    relatedParties.some((party) => party.role === role) ? 1 : 0,
  ]);
  return put({
    id,
    born: position,
    keys: {
      ...{ tenantId, organizationId, instrumentId: id, holderId, ledgerId, accountId },
      branch: bankingDetails?.branch ?? null,
      ...(Object.fromEntries(roles) as Readonly<Record<string, number>>),
      isDeleted: deletedAt === null ? 0 : 1,
      createdAt,
    },
    body: JSON.stringify(instrument),
  });
}
