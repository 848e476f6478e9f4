import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Address } from '#src/events/shared.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import { ledgerServices } from './services.ts';
import {
  createOrganizationBody,
  organizationSchema,
  organizationView,
  updateOrganizationBody,
  type CreateOrganizationBody,
} from '#src/resources/ledger/organization.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';

export const organizationWriteRoutes = [
  route({
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description:
      'Legal names and documents need not be unique, and a parent must be an existing organization. Takes no ' +
      'idempotency key: look for the organization before you repeat a request that got no response.',
    tag: 'Organizations',
    method: 'post',
    path: '/v1/organizations',
    permission: 'organizations:post',
    entityType: 'Organization',
    noUniqueMetadata: true, // A journal has one organization: no values to compare.
    body: createOrganizationBody,
    replies: { 201: organizationSchema },
    refusals: ['COUNTRY_INVALID', 'PARENT_ORGANIZATION_NOT_FOUND'],

    handle: async (request, { commands, ids }) => {
      const id = ids.next();
      const journal = journalOfOrganization(id);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'CreateOrganization',
        organization: fieldsOf(id, request.body),
        holderId: ids.named(HOLDERS, id),
      });
      const [event] = events;
      if (event?.type !== 'OrganizationCreated') throw new Error('An organization is one event');
      return created(JSON.stringify(organizationView(event.data.organization)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'updateOrganization',
    summary: 'Change an organization',
    description:
      'Members that are absent stay as they are, metadata is merged by key, and an address is replaced as a whole. ' +
      '`legalDocument` cannot be changed, and an organization cannot be its own parent.',
    tag: 'Organizations',
    method: 'patch',
    path: '/v1/organizations/{organization_id}',
    permission: 'organizations:patch',
    entityType: 'Organization',
    noUniqueMetadata: true, // A journal has one organization: no values to compare.
    body: updateOrganizationBody,
    replies: { 200: organizationSchema },
    refusals: [
      'NOT_FOUND',
      'COUNTRY_INVALID',
      'PARENT_ORGANIZATION_NOT_FOUND',
      'OWN_PARENT',
      'TOO_LARGE',
    ],

    handle: async (request, { commands }) => {
      const { address, ...changes } = request.body;
      const journal = journalOfOrganization(request.path.organization_id);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'UpdateOrganization',
        changes: { ...changes, ...(address && { address: addressOf(address) }) },
      });
      const [event] = events;
      if (event?.type !== 'OrganizationUpdated') throw new Error('A change is one event');
      return ok(JSON.stringify(organizationView(event.data.organization)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'deleteOrganization',
    summary: 'Delete an organization with all that is below it',
    description:
      'From then on every path below it is refused with 404, whatever its balances; the log keeps the events. ' +
      'Refused where ENV_NAME is production.',
    tag: 'Organizations',
    method: 'delete',
    path: '/v1/organizations/{organization_id}',
    permission: 'organizations:delete',
    entityType: 'Organization',
    replies: { 204: null },
    refusals: ['NOT_FOUND', 'ACTION_NOT_ALLOWED'],

    handle: async (request, services) => {
      const { commands, existence } = services;
      const { inProduction } = ledgerServices(services);
      const id = request.path.organization_id;
      const journal = journalOfOrganization(id);
      const command = { type: 'DeleteOrganization', inProduction } as const;
      const { revision } = await commands.submit(request, journal, command);
      existence.forget(id);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];

/** The namespace from which an organization's own holder is derived (contract registry-and-fees §A8). */
const HOLDERS = '6ba7b812-9dad-11d1-80b4-00c04fd430c8' as Uuid;

function fieldsOf(id: Uuid, body: CreateOrganizationBody) {
  const { parentOrganizationId, legalName, doingBusinessAs, legalDocument } = body;
  return {
    id,
    parentOrganizationId: parentOrganizationId ?? null,
    legalName,
    doingBusinessAs: doingBusinessAs ?? null,
    legalDocument,
    address: addressOf(body.address ?? {}),
    status: body.status,
    ...(body.metadata && { metadata: body.metadata }),
  };
}

/** Fills in all members of an address, as responses show it; only an address without any value may omit its country. */
function addressOf(sent: NonNullable<CreateOrganizationBody['address']>): Address {
  const { line1, line2, zipCode, city, state, country, description } = sent;
  if (country === undefined && Object.values(sent).some(hasValue)) {
    throw refuse('COUNTRY_INVALID', 'An address names its country, by ISO 3166-1 alpha-2.', {
      findings: [{ location: 'address.country', message: 'is missing' }],
    });
  }
  return {
    line1: line1 ?? '',
    line2: line2 ?? null,
    zipCode: zipCode ?? '',
    city: city ?? '',
    state: state ?? '',
    country: country ?? '',
    ...(description !== undefined && { description }),
  };
}

const hasValue = (member: string | null): boolean => member !== null && member !== '';
