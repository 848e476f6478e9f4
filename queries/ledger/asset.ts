import { assetProjection } from '#projections/ledger/asset.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { notFound, readRow, readRows } from '#queries/reading.ts';
import { assetText } from '#queries/shown.ts';
import { ledgerJournal } from '#src/domain/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { assetSchema } from '#src/resources/asset.ts';
import { pageOf } from '#src/resources/common.ts';

export const assetReadRoutes = [
  route({
    operationId: 'listAssets',
    summary: 'List the assets of a ledger',
    tag: 'Assets',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets',
    permission: 'assets:get',
    entityType: 'Asset',
    paging: 'page',
    replies: { 200: pageOf(assetSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await services.parents.ledger(request, organizationId, ledgerId);
      const sequence = await readRows(services, request, {
        of: assetProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId },
        filters: pageFilters(request.page),
      });
      return pageReply(sequence, request.page);
    },
  }),

  route({
    operationId: 'getAsset',
    summary: 'Retrieve an asset',
    tag: 'Assets',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets/{asset_id}',
    permission: 'assets:get',
    entityType: 'Asset',
    replies: { 200: assetSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, asset_id: id } = request.path;
      await services.parents.ledger(request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: assetProjection,
        after: ledgerJournal(ledgerId),
        where: { id, ledgerId },
      });
      if (row === undefined) throw notFound('asset');
      return ok(assetText(row));
    },
  }),
];
