import type { OrganizationRecord } from '#src/events/ledger/organization.ts';
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
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '#src/kernel/schema-fragments.ts';
import { countries } from './countries.ts';
import { has } from '#src/kernel/published.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

const anyAddress = record(
  {
    line1: text(256),
    line2: textOrNull(256),
    zipCode: text(20),
    city: text(100),
    state: text(100),
    country: {
      type: 'string',
      enum: countries,
      refusal: 'COUNTRY_INVALID',
      emptyIsAbsent: true, // Responses show it this way, too.
      must: 'be a country of ISO 3166-1, by two letters in upper case',
    },
    description: text(100),
  },
  [],
);

const { country: _, ...besideCountry } = anyAddress.properties;

/** A rule with its own code refuses an address that has other members but no country. */
const address = {
  ...anyAddress,
  published: {
    title: 'RequestedAddress',
    ...anyAddress,
    type: ['object', 'null'],
    anyOf: [
      has('country', { type: 'string', minLength: 1 }),
      {
        properties: Object.fromEntries(
          Object.keys(besideCountry).map((member) => [member, { enum: ['', null] }]),
        ),
      },
    ],
  },
} as const satisfies Schema;

/** Contract ledger §2.1. */
export const createOrganizationBody = record(
  {
    parentOrganizationId: uuidOrNull,
    legalName: name(256),
    doingBusinessAs: textOrNull(256),
    legalDocument: name(256),
    address,
    status: newStatus,
    metadata: newMetadata,
  },
  ['legalName', 'legalDocument'],
) satisfies Schema;

export type CreateOrganizationBody = Shaped<typeof createOrganizationBody>;

/** The legal document never changes; an address is replaced as a whole. */
export const updateOrganizationBody = record(
  {
    parentOrganizationId: uuid,
    legalName: changedName(256),
    doingBusinessAs: text(256),
    address,
    status: changedStatus,
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export const organizationSchema = {
  title: 'Organization',
  ...record(
    {
      id: uuid,
      parentOrganizationId: uuidOrNull,
      legalName: { type: 'string' },
      doingBusinessAs: { type: ['string', 'null'] },
      legalDocument: { type: 'string' },
      address: record(
        {
          line1: { type: 'string' },
          line2: { type: ['string', 'null'] },
          zipCode: { type: 'string' },
          city: { type: 'string' },
          state: { type: 'string' },
          country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
          description: { type: 'string' },
        },
        ['line1', 'line2', 'zipCode', 'city', 'state', 'country'],
      ),
      status: statusView,
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    [
      'id',
      'parentOrganizationId',
      'legalName',
      'doingBusinessAs',
      'legalDocument',
      'address',
      'status',
      'createdAt',
      'updatedAt',
      'deletedAt',
    ],
  ),
} as const satisfies Schema;

export const organizationView = (organization: OrganizationRecord) => ({
  id: organization.id,
  parentOrganizationId: organization.parentOrganizationId,
  legalName: organization.legalName,
  doingBusinessAs: organization.doingBusinessAs,
  legalDocument: organization.legalDocument,
  address: organization.address,
  status: organization.status,
  metadata: organization.metadata,
  createdAt: organization.createdAt,
  updatedAt: organization.updatedAt,
  deletedAt: organization.deletedAt,
});
