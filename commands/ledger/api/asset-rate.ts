import { created } from '#src/http/reply.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import {
  assetRateSchema,
  assetRateView,
  putAssetRateBody,
} from '#src/resources/ledger/asset-rate.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';

export const assetRateWriteRoutes = [
  route({
    operationId: 'putAssetRate',
    summary: 'Create or replace the rate from one asset to another',
    description:
      'Each pair of assets has one rate: a second request replaces its members, keeps its id and returns 201 as ' +
      'well. Rates are reference data, which no transaction converts with; the assets need not exist.',
    tag: 'Asset rates',
    method: 'put',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/asset-rates',
    only: 1,
    permission: 'asset-rates:put',
    entityType: 'AssetRate',
    noUniqueMetadata: true, // Rates have no indexes.
    body: putAssetRateBody,
    replies: { 201: assetRateSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'TOO_LARGE'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireOrganization(commands, request, organizationId);
      const { from, to, rate, scale, source, ttl, externalId, metadata } = request.body;
      const journal = journalOfLedger(ledgerId);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'PutAssetRate',
        organizationId,
        fields: { from, to, rate, scale, source: source ?? null, ttl },
        externalId,
        metadata,
      });
      const [event] = events;
      if (event?.type !== 'AssetRateCreated' && event?.type !== 'AssetRateUpdated') {
        throw new Error('A rate is one event');
      }
      return created(JSON.stringify(assetRateView(event.data.assetRate)), {
        token: { [journal.name]: revision },
      });
    },
  }),
];
