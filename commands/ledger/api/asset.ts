import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import {
  assetSchema,
  assetView,
  createAssetBody,
  updateAssetBody,
} from '#src/resources/ledger/asset.ts';
import { absent, parentsAbsent, submitRecord, submitToLedger } from './in-ledger.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets';

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
      ...parentsAbsent,
      'ASSET_TAKEN',
      'CODE_NOT_UPPER_CASE',
      'NOT_ISO_4217',
      'CODE_CHARACTERS',
      'TYPE_NOT_ALLOWED',
    ],

    handle: async (request, services) => {
      const { name, type, code, status, metadata } = request.body;
      const { data, token } = await submitRecord(request, services, 'AssetCreated', {
        type: 'CreateAsset',
        fields: { name, type, code, status, ...(metadata && { metadata }) },
      });
      return created(JSON.stringify(assetView(data.asset)), { token });
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

    handle: async (request, services) => {
      const { name, ...changes } = request.body; // Clients that change the status alone send an empty name.
      const { data, token } = await submitRecord(request, services, 'AssetUpdated', {
        type: 'UpdateAsset',
        assetId: request.path.asset_id,
        changes: { ...changes, ...(name !== '' && { name }) },
      });
      return ok(JSON.stringify(assetView(data.asset)), { token });
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

    handle: async (request, services) => {
      const assetId = request.path.asset_id;
      const { token } = await submitToLedger(request, services, { type: 'DeleteAsset', assetId });
      return noContent({ token });
    },
  }),
];
