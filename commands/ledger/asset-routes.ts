import { created } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { assetSchema, assetView, createAssetBody } from '#src/resources/asset.ts';
import { journalOfLedger } from './journals.ts';

export const assetWriteRoutes = [
  route({
    operationId: 'createAsset',
    summary: 'Create an asset, and with it its external account',
    tag: 'Assets',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets',
    permission: 'assets:post',
    entityType: 'Asset',
    body: createAssetBody,
    replies: { 201: assetSchema },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'ASSET_TAKEN',
      'CODE_NOT_UPPER_CASE',
      'NOT_ISO_4217',
      'CODE_CHARACTERS',
      'TYPE_NOT_ALLOWED',
    ],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const { name, type, code, status, metadata } = request.body;
      const journal = journalOfLedger(ledgerId);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'CreateAsset',
        organizationId,
        fields: { name, type, code, status, ...(metadata && { metadata }) },
      });
      const [event] = events;
      if (event?.type !== 'AssetCreated') throw new Error('An asset comes first');
      return created(JSON.stringify(assetView(event.data.asset)), {
        token: { [journal.name]: revision },
      });
    },
  }),
];
