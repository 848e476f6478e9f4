import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { beginning, equal, notFound, readRow, readRows } from '#queries/reading.ts';
import { LEDGER_V2, ledgerText, ledgerTextV2 } from './renderers.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import { ledgerSchema, ledgerSchemaV2 } from '#src/resources/ledger/ledger.ts';
import { requireOrganization } from './parents.ts';

export const ledgerReadRoutes = [
  route({
    operationId: 'listLedgers',
    summary: 'List the ledgers of an organization',
    description:
      'Returns the ledgers that are not deleted, in the order of their creation. They must match every filter that ' +
      'is sent.',
    tag: 'Ledgers',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers',
    permission: 'ledgers:get',
    entityType: 'Ledger',
    paging: 'page',
    filters: {
      name: { type: 'string', description: 'How the name begins' },
      status: { type: 'string', enum: ['ACTIVE', 'INACTIVE'] },
    },
    replies: { 200: pageOf(ledgerSchema) },
    repliesV2: { 200: pageOf(ledgerSchemaV2) },
    refusals: ['ORGANIZATION_NOT_FOUND'],

    handle: async (request, services) => {
      const { query, page } = request;
      const organizationId = request.path.organization_id;
      await requireOrganization(services, request, organizationId);
      const sequence = await readRows(services, request, {
        of: ledgerProjection,
        // The organization's journal records a ledger's opening after the ledger's does, so waiting for it covers both.
        after: organizationJournal(organizationId),
        where: { organizationId },
        filters: [
          ...beginning('name', query.name),
          ...equal('status', query.status),
          ...pageFilters(page),
        ],
        as: request.version === 2 ? LEDGER_V2 : undefined,
      });
      return pageReply(sequence, page);
    },
  }),

  route({
    operationId: 'getLedger',
    summary: 'Retrieve a ledger',
    description:
      'Shows the settings once they were set or changed. A ledger that is deleted, or belongs to another ' +
      'organization, is refused with 404.',
    tag: 'Ledgers',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}',
    permission: 'ledgers:get',
    entityType: 'Ledger',
    replies: { 200: ledgerSchema },
    repliesV2: { 200: ledgerSchemaV2 },
    refusals: ['ORGANIZATION_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      await requireOrganization(services, request, organizationId);
      const row = await readRow(services, request, {
        of: ledgerProjection,
        after: ledgerJournal(id),
        where: { id, organizationId },
      });
      if (row === undefined) throw notFound('ledger');
      return ok(request.version === 2 ? ledgerTextV2(row) : ledgerText(row));
    },
  }),
];
