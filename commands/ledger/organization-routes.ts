import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { Address } from '#src/events/organization.ts';
import { created } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import {
  createOrganizationBody,
  organizationSchema,
  organizationView,
  type CreateOrganizationBody,
} from '#src/resources/organization.ts';
import { journalOfOrganization } from './journals.ts';

export const organizationWriteRoutes = [
  route({
    operationId: 'createOrganization',
    summary: 'Create an organization',
    tag: 'Organizations',
    method: 'post',
    path: '/v1/organizations',
    permission: 'organizations:post',
    entityType: 'Organization',
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

/** An address is always shown whole; a country may only be missing from one that says nothing else. */
function addressOf(sent: NonNullable<CreateOrganizationBody['address']>): Address {
  const { line1, line2, zipCode, city, state, country, description } = sent;
  if (country === undefined && Object.values(sent).some((member) => member !== null)) {
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
