import { organizationProjection } from '#projections/ledger/organization.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { beginning, equal, notFound, readRow, readRows } from '#queries/reading.ts';
import { organizationText } from './renderers.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import { organizationSchema } from '#src/resources/ledger/organization.ts';

export const organizationReadRoutes = [
  route({
    operationId: 'listOrganizations',
    summary: 'List organizations',
    description:
      'Returns the organizations of your tenant that are not deleted, in the order of their creation. They must ' +
      'match every filter that is sent.',
    tag: 'Organizations',
    method: 'get',
    path: '/v1/organizations',
    permission: 'organizations:get',
    entityType: 'Organization',
    paging: 'page',
    filters: {
      legal_name: { type: 'string', description: 'How the legal name begins' },
      doing_business_as: { type: 'string', description: 'How the trade name begins' },
      legal_document: { type: 'string' },
      status: { type: 'string', enum: ['ACTIVE', 'INACTIVE'] },
    },
    replies: { 200: pageOf(organizationSchema) },
    refusals: [],

    handle: async (request, services) => {
      const { query, page } = request;
      const sequence = await readRows(services, request, {
        of: organizationProjection,
        after: 'organization',
        where: {},
        filters: [
          ...beginning('legalName', query.legal_name),
          ...beginning('doingBusinessAs', query.doing_business_as),
          ...equal('legalDocument', query.legal_document),
          ...equal('status', query.status),
          ...pageFilters(page),
        ],
      });
      return pageReply(sequence, page);
    },
  }),

  route({
    operationId: 'getOrganization',
    summary: 'Retrieve an organization',
    description:
      'An organization that is deleted, or belongs to another tenant, is refused with 404.',
    tag: 'Organizations',
    method: 'get',
    path: '/v1/organizations/{organization_id}',
    permission: 'organizations:get',
    entityType: 'Organization',
    replies: { 200: organizationSchema },
    refusals: ['NOT_FOUND'],

    handle: async (request, services) => {
      const id = request.path.organization_id;
      const row = await readRow(services, request, {
        of: organizationProjection,
        after: organizationJournal(id),
        where: { id },
      });
      if (row === undefined) throw notFound('organization');
      return ok(organizationText(row));
    },
  }),
];
