import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { assetSchema, assetView, createAssetBody, updateAssetBody } from '#src/resources/asset.ts';
import { journalOfLedger } from './journals.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets';
const absent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'] as const;

export const assetWriteRoutes = [
  route({
    operationId: 'createAsset',
    summary: 'Create an asset, and with it its external account',
    tag: 'Assets',
    method: 'post',
    path: PATH,
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

  route({
    operationId: 'updateAsset',
    summary: 'Change the name, the status or the metadata of an asset',
    tag: 'Assets',
    method: 'patch',
    path: `${PATH}/{asset_id}`,
    permission: 'assets:patch',
    entityType: 'Asset',
    body: updateAssetBody,
    replies: { 200: assetSchema },
    refusals: [...absent, 'ASSET_TAKEN', 'TOO_LARGE'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, asset_id: assetId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const { events, revision } = await commands.submit(request, journal, {
        type: 'UpdateAsset',
        organizationId,
        assetId,
        changes: request.body,
      });
      const [event] = events;
      if (event?.type !== 'AssetUpdated') throw new Error('A change is one event');
      return ok(JSON.stringify(assetView(event.data.asset)), {
        token: { [journal.name]: revision },
      });
    },
  }),

  route({
    operationId: 'deleteAsset',
    summary: 'Delete an asset that no account holds, and with it its external account',
    tag: 'Assets',
    method: 'delete',
    path: `${PATH}/{asset_id}`,
    permission: 'assets:delete',
    entityType: 'Asset',
    replies: { 204: null },
    refusals: [...absent, 'BALANCE_BLOCKS_DELETION'],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id, asset_id: assetId } = request.path;
      await commands.requireOrganization(request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = { type: 'DeleteAsset', organizationId, assetId } as const;
      const { revision } = await commands.submit(request, journal, command);
      return noContent({ token: { [journal.name]: revision } });
    },
  }),
];
