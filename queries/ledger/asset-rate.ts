import { assetRateProjection } from '#projections/ledger/asset-rate.ts';
import { pageFilters, unionReply } from '#queries/paging.ts';
import { notFound, readLast, readRows } from '#queries/reading.ts';
import { assetRateText } from './renderers.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { codeCharacters, publishedCode } from '#src/resources/ledger/asset.ts';
import { assetRateSchema } from '#src/resources/ledger/asset-rate.ts';
import { cursorListOf } from '#src/kernel/schema-fragments.ts';
import { requireLedger } from './parents.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/asset-rates';

export const assetRateReadRoutes = [
  route({
    operationId: 'getAssetRate',
    summary: 'Retrieve an asset rate by its external id',
    description:
      'If several pairs have the external id, the one that was created last is returned.',
    tag: 'Asset rates',
    method: 'get',
    path: `${PATH}/{external_id}`,
    only: 1,
    permission: 'asset-rates:get',
    entityType: 'AssetRate',
    replies: { 200: assetRateSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      // Several pairs may have the same external id; the latest one is returned.
      const row = await readLast(services, request, {
        of: assetRateProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId, externalId: request.path.external_id },
      });
      if (row === undefined) throw notFound('asset rate');
      return ok(assetRateText(row));
    },
  }),

  route({
    operationId: 'listAssetRatesFrom',
    summary: 'List the rates from an asset to others',
    description:
      'Has one rate for each target asset, in the order of their creation. The list is empty if there is none, even ' +
      'for an asset that does not exist.',
    tag: 'Asset rates',
    method: 'get',
    path: `${PATH}/from/{asset_code}`,
    pathSchemas: { asset_code: publishedCode },
    only: 1,
    permission: 'asset-rates:get',
    entityType: 'AssetRate',
    paging: 'union',
    filters: {
      to: {
        type: 'string',
        description: 'Asset codes, separated by commas',
        published: { type: 'string', pattern: '^[A-Z]+(,[A-Z]+)*$', maxLength: 256 },
      },
    },
    replies: { 200: cursorListOf(assetRateSchema) },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'CODE_CHARACTERS',
      'CODE_NOT_UPPER_CASE',
    ],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, asset_code } = request.path;
      const from = codeAt('path.asset_code', asset_code);
      const to = (request.query.to ?? '').split(',').map((code) => code.trim());
      const wanted = to.filter((code) => code !== '').map((code) => codeAt('query.to', code));
      await requireLedger(services, request, organizationId, ledgerId);
      const sequence = await readRows(services, request, {
        of: assetRateProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId, from },
        filters: [
          ...(wanted.length > 0 ? [{ key: 'to', in: wanted }] : []),
          ...pageFilters(request.page),
        ],
      });
      return unionReply(sequence, request.page);
    },
  }),
];

/** Validates a code as in a body, except for its length: a code that is too long is simply not found. */
function codeAt(location: string, code: string): string {
  for (const { pattern, refusal, must } of codeCharacters) {
    if (new RegExp(pattern, 'u').test(code)) continue;
    const message = `must ${must}`;
    const findings = [{ location, message, value: code.slice(0, VALUE_MAX) }];
    const name = location.slice(location.indexOf('.') + 1);
    throw refuse(refusal, `${name} ${message}.`, { findings });
  }
  return code;
}

const VALUE_MAX = 256;
