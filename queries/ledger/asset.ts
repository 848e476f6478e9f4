import { assetProjection } from '#projections/ledger/asset.ts';
import { pageReply } from '#queries/paging.ts';
import { notFound } from '#queries/reading.ts';
import { assetText } from './renderers.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { assetSchema } from '#src/resources/ledger/asset.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import { rowInLedger, rowsInLedger } from './in-ledger.ts';

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

    handle: async (request, services) =>
      pageReply(await rowsInLedger(request, services, assetProjection), request.page),
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
      const where = { id: request.path.asset_id };
      const row = await rowInLedger(request, services, assetProjection, where);
      if (row === undefined) throw notFound('asset');
      return ok(assetText(row));
    },
  }),
];
