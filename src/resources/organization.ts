import type { OrganizationRecord } from '#src/events/organization.ts';
import {
  instantOrNull,
  uuid,
  uuidOrNull,
  instant,
  newMetadata,
  metadataView,
  newStatus,
  statusView,
} from './common.ts';
import { countries } from './countries.ts';
import type { Schema, Shaped } from './schema.ts';

/** Contract ledger §2.1. A country missing beside another member of the address is the decider's to refuse. */
export const createOrganizationBody = {
  type: 'object',
  properties: {
    parentOrganizationId: uuidOrNull,
    legalName: { type: 'string', minLength: 1, maxLength: 256 },
    doingBusinessAs: { type: ['string', 'null'], maxLength: 256 },
    legalDocument: { type: 'string', minLength: 1, maxLength: 256 },
    address: {
      type: 'object',
      properties: {
        line1: { type: 'string', maxLength: 256 },
        line2: { type: ['string', 'null'], maxLength: 256 },
        zipCode: { type: 'string', maxLength: 20 },
        city: { type: 'string', maxLength: 100 },
        state: { type: 'string', maxLength: 100 },
        country: { type: 'string', enum: countries, refusal: 'COUNTRY_INVALID' },
        description: { type: 'string', maxLength: 100 },
      },
      additionalProperties: false,
    },
    status: newStatus,
    metadata: newMetadata,
  },
  required: ['legalName', 'legalDocument'],
  additionalProperties: false,
} as const satisfies Schema;

export type CreateOrganizationBody = Shaped<typeof createOrganizationBody>;

export const organizationSchema = {
  title: 'Organization',
  type: 'object',
  properties: {
    id: uuid,
    parentOrganizationId: uuidOrNull,
    legalName: { type: 'string' },
    doingBusinessAs: { type: ['string', 'null'] },
    legalDocument: { type: 'string' },
    address: {
      type: 'object',
      properties: {
        line1: { type: 'string' },
        line2: { type: ['string', 'null'] },
        zipCode: { type: 'string' },
        city: { type: 'string' },
        state: { type: 'string' },
        country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
        description: { type: 'string' },
      },
      required: ['line1', 'line2', 'zipCode', 'city', 'state', 'country'],
    },
    status: statusView,
    metadata: metadataView,
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instantOrNull,
  },
  required: [
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
